import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { ActivityRow } from '../activity/activity.dto.ts';
import { ENTRY } from '../activity/activity.queries.ts';
import type { Placed, Position } from './activity-position.ts';

/** An entry as a stream tells it. */
export interface LoggedEntry extends Omit<ActivityRow, 'id' | 'at' | 'details'>, Placed {
  readonly taskId: string | null;
  readonly rootTaskId: string | null;
}

/** What a read saw, on each row; alone on one row where there is no entry. */
export type SeenEntry = { readonly open: readonly number[] } & (LoggedEntry | { readonly id: null });

const select = columns<LoggedEntry>({
  ...ENTRY,
  writtenIn: 'a.written_in',
  taskId: 'a.task_id',
  rootTaskId: 't.root_task_id',
});

/** Of transactions in this cluster, in front of the number that the cluster gives them. */
const CLUSTER_SHIFT = sql`17592186044416::bigint`;
export const TRANSACTIONS_OF_CLUSTER = 2 ** 44;

/** Transactions of this snapshot that had not ended. */
const OPEN = sql`
  coalesce((
    select jsonb_agg(c.number * ${CLUSTER_SHIFT} + x::text::bigint order by x)
    from pg_snapshot_xip(pg_current_snapshot()) x), '[]')`;

/** Of entries, the task that they concern. Within the limited part, so that tasks are found by their key. */
const TASK = sql`case when a.subject_kind = 'task' then a.subject_id else a.details->>'taskId' end::uuid as task_id`;

/** Entries, each with the root of its task, and what the snapshot of the statement saw. */
function entries(organizationId: Sql, found: Sql): Sql<SeenEntry> {
  return sql`
    -- what the snapshot sees
    with seen as materialized (select ${OPEN} as open from activity_cluster c)
    select s.open, ${select}
    from seen s
    left join (${found}) a on true
    -- by key, also with a plan from when there were few tasks
    left join lateral (
      select t.root_task_id from task t
      where t.organization_id = ${organizationId} and t.id = a.task_id limit 1) t on true`;
}

/**
 * Entries behind a position, by transaction: of those that came after, and of those that had not ended, which an index
 * finds each at once, however long ago that was. Only those that `until` has, if it is given.
 */
export function entriesAfter(
  organizationId: string,
  position: Position,
  limit: number,
  until?: Position,
): Statement<SeenEntry> {
  const organization = sql.value(organizationId);
  const most = sql.value(limit);
  const spans = unseenSpans(position, until?.next);
  const found = sql`
      select a.*, ${TASK}
      from unnest(${spans.map(({ from }) => from)}::bigint[], ${spans.map(({ to }) => to)}::bigint[]) span("from", "to")
      cross join lateral (
        select * from activity a
        where a.organization_id = ${organization} and a.written_in >= span."from" and a.written_in < span."to"
          and a.written_in <> all(${until?.open ?? []}::bigint[])
        order by a.written_in, a.at, a.id limit ${most}::int) a
      order by a.written_in, a.at, a.id limit ${most}::int`;
  return sql`${entries(organization, found)} order by a.written_in, a.at, a.id`;
}

/** The rest of the entries of the transactions that are begun, in the order of time and id. */
export function entriesWithin(organizationId: string, { begun, last }: Position, limit: number): Statement<SeenEntry> {
  const organization = sql.value(organizationId);
  const most = sql.value(limit);
  const found = sql`
      select a.*, ${TASK}
      from (
        -- the entry that was seen last
        select l.at, l.id from activity l
        where l.organization_id = ${organization} and l.written_in = ${last!.writtenIn}::bigint and l.id = ${last!.id}) l
      cross join unnest(${begun}::bigint[]) begun(transaction)
      cross join lateral (
        select * from activity a
        where a.organization_id = ${organization} and a.written_in = begun.transaction and (a.at, a.id) > (l.at, l.id)
        order by a.at, a.id limit ${most}::int) a
      order by a.at, a.id limit ${most}::int`;
  return sql`${entries(organization, found)} order by a.at, a.id`;
}

/** Numbers of transactions from one to before another. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The transactions of which a reader has seen nothing, up to `end`. */
function unseenSpans({ next, open }: Position, end = Number.MAX_SAFE_INTEGER): Span[] {
  return [...open.map((transaction) => ({ from: transaction, to: transaction + 1 })), { from: next, to: end }];
}

/** The end of a log, and whether a position is one in it. */
export interface LogEnd {
  /** The number of the cluster; null where the log was brought into another one, which nobody has noted yet. */
  readonly cluster: number | null;
  readonly open: readonly number[];
  /** The transaction of the newest entry; null of an empty log. */
  readonly newest: number | null;
  readonly newestId: string | null;
  readonly newestAt: string | null;
  /** The transaction of the oldest entry, and whether the log begins with it, so that nothing was removed. */
  readonly oldest: number | null;
  readonly isFirst: boolean | null;
  /** Whether the log has the entry that a position names as its last. */
  readonly isKnown: boolean;
}

/** Where a log ends. */
export function endOfLog(organizationId: string, seen: Position | undefined): Statement<LogEnd> {
  const organization = sql.value(organizationId);
  const last = seen?.last ?? null;
  return sql`
    select (select c.number from activity_cluster c where c.system_identifier = ${SYSTEM_IDENTIFIER}) as cluster,
      s.open, n.written_in as newest, n.id as "newestId", n.at as "newestAt", o.written_in as oldest,
      o.verb = 'organization.created' as "isFirst", l.known is not null as "isKnown"
    from (select ${OPEN} as open from activity_cluster c) s
    left join lateral (
      select a.written_in, a.id, a.at from activity a
      where a.organization_id = ${organization} order by a.written_in desc, a.at desc, a.id desc limit 1) n on true
    left join lateral (
      select a.written_in, a.verb from activity a
      where a.organization_id = ${organization} and ${last !== null} order by a.written_in limit 1) o on true
    left join lateral (
      select true as known from activity a
      where a.organization_id = ${organization} and a.written_in = ${last?.writtenIn ?? null}::bigint
        and a.id = ${last?.id ?? null}) l on true`;
}

/** Says which cluster this is: another one after a restore of a dump, the same one after a restart or a failover. */
const SYSTEM_IDENTIFIER = sql`(select k.system_identifier::text from pg_control_system() k)`;

/** The number of the cluster; no row where the log was brought into another one. */
export function currentCluster(): Statement<{ number: number }> {
  return sql`select c.number from activity_cluster c where c.system_identifier = ${SYSTEM_IDENTIFIER}`;
}

/** Notes that the log is in another cluster than before. Holds the row until the commit, so that one process does. */
export function noteCluster(): Statement<{ number: number }> {
  return sql`
    update activity_cluster set number = number + 1, system_identifier = ${SYSTEM_IDENTIFIER}
    where system_identifier <> ${SYSTEM_IDENTIFIER} returning number`;
}

/** Keeps writers out until the commit, so that no entry is numbered as of the cluster before after it. */
export function holdLog(): Statement {
  return sql`lock table activity in share row exclusive mode`;
}

/** Numbers transactions as of this cluster. */
export function numberTransactions(cluster: number): Statement {
  return sql`
    create or replace function activity_transaction() returns bigint language sql stable parallel safe
      return ${sql.raw(String(cluster * TRANSACTIONS_OF_CLUSTER))}::bigint + pg_catalog.pg_current_xact_id()::text::bigint`;
}

/** Those organizations, by their places counted from 1, whose log has entries behind a position. For the dispatch role. */
export function changedLogs(
  logs: readonly { readonly organizationId: string; readonly position: Position }[],
): Statement<{ place: number }> {
  const spans = logs.flatMap(({ organizationId, position }, index) =>
    unseenSpans(position).map(({ from, to }) => ({ from, to, organizationId, place: index + 1 })),
  );
  return sql`
    select distinct w.place
    from unnest(${spans.map(({ organizationId }) => organizationId)}::uuid[], ${spans.map(({ place }) => place)}::int[],
      ${spans.map(({ from }) => from)}::bigint[], ${spans.map(({ to }) => to)}::bigint[])
      w(organization_id, place, "from", "to")
    where exists (
      select from activity a
      where a.organization_id = w.organization_id and a.written_in >= w."from" and a.written_in < w."to")`;
}
