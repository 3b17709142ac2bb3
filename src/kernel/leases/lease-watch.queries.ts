import { type Sql, sql, type Statement } from '../database/index.ts';

/** The kinds of leases; each has a row in `lease_watch`. */
export type LeaseKind = 'run' | 'turn' | 'claim';

/** Half a lease without a note is an outage: by then a worker has missed a heartbeat through no fault of its own. */
const PATIENCE = sql`w.lease_seconds * interval '0.5 seconds'`;

/**
 * The time since which an outage has kept leases of a kind from being renewed; null without an outage. Reads one row by
 * its key, and only for a lease whose time has passed.
 */
function outageSince(kind: LeaseKind): Sql {
  return sql`(select w.noted_at from lease_watch w
    where w.kind = '${sql.raw(kind)}' and w.noted_at < clock_timestamp() - ${PATIENCE})`;
}

/**
 * Condition of a lease that its holder may still use: its time has not passed, or passed while no heartbeat could have
 * arrived. Reads the clock after the row is locked, as every fence must.
 */
export function isUnlapsed(kind: LeaseKind, expiresAt: string): Sql {
  const end = sql.raw(expiresAt);
  return sql`(${end} > clock_timestamp() or ${end} > ${outageSince(kind)})`;
}

/** The complement, for statements that end leases. */
export function isLapsed(kind: LeaseKind, expiresAt: string): Sql {
  const end = sql.raw(expiresAt);
  return sql`(${end} <= clock_timestamp() and (${end} > ${outageSince(kind)}) is not true)`;
}

/**
 * The outage that the note of this transaction ends: `since` when leases of the kind could not be renewed, and the
 * `period` of one; no row if there was no outage.
 */
export function outageThatEnds(kind: LeaseKind): Sql {
  return sql`select w.previous_at as since, make_interval(secs => w.lease_seconds) as period from lease_watch w
    where w.kind = '${sql.raw(kind)}' and w.noted_at - w.previous_at > ${PATIENCE}`;
}

/** Adds rows for kinds that no process has noted before. */
export function addKinds(kinds: readonly LeaseKind[], leaseSeconds: readonly number[]): Statement {
  return sql`
    insert into lease_watch (kind, lease_seconds, noted_at, previous_at)
    select k.kind, k.seconds, clock_timestamp(), clock_timestamp()
    from unnest(${kinds}::text[], ${leaseSeconds}::int[]) k(kind, seconds)
    on conflict do nothing`;
}

/**
 * Notes that leases can be renewed, and keeps the previous note. The rows stay locked until the commit, so that
 * processes note one after the other. Reads the clock no later than it writes the note, so that a delay in the rest of
 * the transaction counts as time without a note.
 */
export function noteRenewable(kinds: readonly LeaseKind[], leaseSeconds: readonly number[]): Statement {
  return sql`
    with held as materialized (
      select w.kind, w.noted_at, k.seconds, clock_timestamp() as now
      from unnest(${kinds}::text[], ${leaseSeconds}::int[]) k(kind, seconds) join lease_watch w on w.kind = k.kind
      order by w.kind for no key update of w)
    update lease_watch w set noted_at = h.now, previous_at = h.noted_at, lease_seconds = h.seconds
    from held h where w.kind = h.kind`;
}
