import { type Statement, statement } from '../database/index.ts';

/** What is leased; each is a row of `lease_watch`. */
export type LeaseKind = 'run' | 'turn' | 'claim';

/** Half a lease without a note: by then a worker has missed a beat that was not its own to miss. */
const PATIENCE = `w.lease_seconds * interval '0.5 seconds'`;

/**
 * Since when leases of a kind cannot have been renewed, while that is an outage; null otherwise. Read from one row by its
 * key, and only for a lease whose time has passed.
 */
function outageSince(kind: LeaseKind): string {
  return `(select w.noted_at from lease_watch w where w.kind = '${kind}' and w.noted_at < clock_timestamp() - ${PATIENCE})`;
}

/**
 * Condition of a lease that its holder may still use: its time has not passed, or passed while nobody's heartbeat could have
 * arrived. The clock is read behind the lock of the row, as every fence needs.
 */
export function isUnlapsed(kind: LeaseKind, expiresAt: string): string {
  return `(${expiresAt} > clock_timestamp() or ${expiresAt} > ${outageSince(kind)})`;
}

/** The complement, for what ends leases. */
export function isLapsed(kind: LeaseKind, expiresAt: string): string {
  return `(${expiresAt} <= clock_timestamp() and (${expiresAt} > ${outageSince(kind)}) is not true)`;
}

/**
 * Of the note of this transaction: `since` when leases of the kind could not be renewed, and how long one lasts; no row unless
 * that was an outage.
 */
export function outageThatEnds(kind: LeaseKind): string {
  return `select w.previous_at as since, make_interval(secs => w.lease_seconds) as period from lease_watch w
    where w.kind = '${kind}' and w.noted_at - w.previous_at > ${PATIENCE}`;
}

/** Adds the rows of kinds that no process has noted before. */
export function addKinds(kinds: readonly LeaseKind[], leaseSeconds: readonly number[]): Statement {
  return statement(
    `insert into lease_watch (kind, lease_seconds, noted_at, previous_at)
     select k.kind, k.seconds, clock_timestamp(), clock_timestamp() from unnest($1::text[], $2::int[]) k(kind, seconds)
     on conflict do nothing`,
    kinds,
    leaseSeconds,
  );
}

/**
 * Notes that leases can be renewed, and keeps the note before; the rows stay locked until the commit, so processes note one
 * after the other. The clock is read no later than the note is written: what delays the rest of the transaction is time
 * without a note.
 */
export function noteRenewable(kinds: readonly LeaseKind[], leaseSeconds: readonly number[]): Statement {
  return statement(
    `with held as materialized (
       select w.kind, w.noted_at, k.seconds, clock_timestamp() as now
       from unnest($1::text[], $2::int[]) k(kind, seconds) join lease_watch w on w.kind = k.kind
       order by w.kind for no key update of w)
     update lease_watch w set noted_at = h.now, previous_at = h.noted_at, lease_seconds = h.seconds
     from held h where w.kind = h.kind`,
    kinds,
    leaseSeconds,
  );
}
