import { type Sql, sql, type Statement, withAfterCommit } from '../../../kernel/database/index.ts';
import { isLapsed } from '../../../kernel/leases/index.ts';
import {
  isClaimable,
  joinLines,
  logRequeued,
  rejoinOtherProfiles,
  type RequeuedRequest,
  runRequestMoves,
  UNCLAIMED,
} from '../../tasks/index.ts';
import { ORGANIZATION_PLACES } from './claim-queues.queries.ts';

/** Rows that one statement of a job moves. */
export const REQUESTS_LIMIT = 500;
/** Claims in a row that may lapse before a request waits. */
const MAX_LAPSES = 10;

export interface ReadyCount {
  readonly organizationId: string;
  readonly count: number;
}

/** How many requests each organization has ready now, of the `moved` ones; and their places in the lines of claims. */
const readyCounts = (further: Sql) => sql`
    now_ready as (select m.organization_id, count(*)::int as requests from moved m group by m.organization_id),
    ${joinLines(sql`moved`)},
    ${rejoinOtherProfiles(sql`moved`)}
    select n.organization_id as "organizationId", n.requests as count${further} from now_ready n`;
const LIMIT = sql.raw(String(REQUESTS_LIMIT));
// An index cannot be asked for what is volatile; a subquery is read once.
const NOW = sql`(select clock_timestamp())`;

/** Makes requests ready whose time has come, oldest first. One statement, one round trip with its role. */
export function markDueReady(): Statement<ReadyCount> {
  return sql`
    with due as (
      select q.organization_id, q.id from run_request q
      where q.status = 'queued' and not q.ready and q.available_at <= ${NOW}
      order by q.available_at limit ${LIMIT} for no key update skip locked),
    moved as (
      update run_request q set ready = true from due where q.organization_id = due.organization_id and q.id = due.id
      returning q.organization_id, q.agent_profile_id),
    ${readyCounts(sql``)}`;
}

/** How many ready requests of an organization its capacity has places for. No row where it may start nothing at all. */
export function claimableNow(organizationId: string): Statement<{ count: number }> {
  return sql`
    select (select count(*)::int from (
        select from run_request q where q.organization_id = d.organization_id and ${sql.raw(isClaimable('q'))}
        limit room.places) few) as count
    from (select ${organizationId}::uuid as organization_id) d cross join lateral (${ORGANIZATION_PLACES}) room`;
}

/** Condition of a claim `q` that lapsed without a start. */
const LAPSED = sql`${sql.raw(runRequestMoves.permits('giveBack', 'q.status'))}
        and ${isLapsed('claim', 'q.claim_expires_at')}`;
const GIVEN_BACK = sql.raw(runRequestMoves.moved('giveBack', 'q.status'));
const LAST_LAPSE = sql.raw(String(MAX_LAPSES - 1));

interface LapsedCount extends ReadyCount {
  readonly lapsed: readonly Omit<RequeuedRequest, 'organizationId'>[];
}

/** Requeues claims that lapsed without a start; all but those that have lapsed too often. */
export function requeueLapsed(): Statement<LapsedCount> {
  const requeued = sql<LapsedCount>`
    with lapsed as (
      select q.organization_id, q.id, q.task_id, q.worker_id from run_request q
      where ${LAPSED} and q.lapse_count < ${LAST_LAPSE}
      limit ${LIMIT} for no key update skip locked),
    moved as (
      update run_request q set status = ${GIVEN_BACK}, lapse_count = q.lapse_count + 1, ${UNCLAIMED},
        updated_at = clock_timestamp()
      from lapsed where q.organization_id = lapsed.organization_id and q.id = lapsed.id
      returning q.organization_id, q.agent_profile_id),
    ${readyCounts(sql`,
      (select jsonb_agg(jsonb_build_object('id', l.id, 'taskId', l.task_id, 'workerId', l.worker_id))
       from lapsed l where l.organization_id = n.organization_id) as lapsed`)}`;
  return withAfterCommit(requeued, (rows) => {
    const all = rows.flatMap(({ organizationId, lapsed }) => lapsed.map((each) => ({ organizationId, ...each })));
    logRequeued(all, 'claim_lapsed');
  });
}

/** Requests whose claim has lapsed once too often; each is deferred in its organization. */
export function oftenLapsed(): Statement<{ organizationId: string; id: string }> {
  return sql`
    select q.organization_id as "organizationId", q.id
    from run_request q join organization o on o.id = q.organization_id
    where ${LAPSED} and q.lapse_count >= ${LAST_LAPSE} and o.status = 'active'
    limit ${LIMIT}`;
}

export interface Deferred {
  readonly taskId: string;
  readonly label: string;
  readonly availableAt: string;
}

/** Lets a request wait; the count of lapses starts again. */
export function deferLapsed(organizationId: string, id: string, seconds: number): Statement<Deferred> {
  return sql`
    update run_request q set status = ${GIVEN_BACK}, ready = false, lapse_count = 0, release_streak = 0,
      available_at = clock_timestamp() + make_interval(secs => ${seconds}::int), ${UNCLAIMED},
      updated_at = clock_timestamp()
    from task t
    where q.organization_id = ${organizationId} and q.id = ${id} and ${LAPSED}
      and t.organization_id = q.organization_id and t.id = q.task_id
    returning q.task_id as "taskId", t.identifier_scope || '-' || t.identifier_number || ' ' || t.title as label,
      q.available_at as "availableAt"`;
}
