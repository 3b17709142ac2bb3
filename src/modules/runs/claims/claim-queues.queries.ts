import { type Sql, sql } from '../../../kernel/database/index.ts';
import { MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { isClaimable } from '../../tasks/index.ts';
import { mayStartIn } from '../run-start.policy.ts';

/**
 * Parts of the claim: how it walks the queues of ready work in an organization. They name the organization `d`, the
 * number of requests to take from it `d.items`, and the head of a profile's queue `h`.
 */

/** Requests at the head of a profile's queue that other claims may hold at this moment. */
const HELD_BY_OTHERS = 16;

/** The order of a queue, for each alias of the requests in it. */
export const QUEUE_ORDER = { r: orderOf('r'), q: orderOf('q'), h: orderOf('h') } as const;
function orderOf(requests: string): Sql {
  return sql.raw(
    `${requests}.priority desc, ${requests}.execution_class desc, ${requests}.available_at, ${requests}.id`,
  );
}

/** A condition on requests `r` or `q`: that they are ready, of the organization, and wanted. */
export type Ready = Readonly<Record<'r' | 'q', Sql>>;

/** All ready requests of the organization `d`. */
export const ANY_READY: Ready = { r: readyOf('r'), q: readyOf('q') };
function readyOf(requests: 'r' | 'q'): Sql {
  return sql`${sql.raw(requests)}.organization_id = d.organization_id and ${sql.raw(isClaimable(requests))}`;
}

/** The first free request of an organization: of the profile whose head comes first, and so on. */
export function firstReady(ready: Ready, able: Sql): Sql {
  return sql`select r.id, h.agent_profile_id
    from (${queueHeads(ready)} order by ${QUEUE_ORDER.h}) h
    cross join lateral (
      select r.id from run_request r
      where ${ready.r} and r.agent_profile_id = h.agent_profile_id and ${able}
      order by ${QUEUE_ORDER.r} limit 1
      for no key update skip locked) r
    limit 1`;
}

/** The first requests of an organization, all its profiles' queues together. */
export function bestReady(ready: Ready, able: Sql): Sql {
  return sql`select r.id, q.agent_profile_id
    from (
      select q.*, h.agent_profile_id from (${queueHeads(ready)}) h
      cross join lateral (
        select few.* from (
          select q.priority, q.execution_class, q.available_at, q.id from run_request q
          where ${ready.q} and q.agent_profile_id = h.agent_profile_id and ${able}
          order by ${QUEUE_ORDER.q} limit ${sql.raw(String(MAX_CLAIMS + HELD_BY_OTHERS))}) few
        limit d.items + ${sql.raw(String(HELD_BY_OTHERS))}) q
      order by ${QUEUE_ORDER.q}) q
    cross join lateral (
      select r.id from run_request r where ${ready.r} and r.id = q.id
      for no key update skip locked) r
    limit d.items`;
}

/** The head of each profile's queue in an organization, a loose walk along the index. */
export function queueHeads({ q: ready }: Ready): Sql {
  return sql`with recursive h as (
      (select q.agent_profile_id, q.priority, q.execution_class, q.available_at, q.id from run_request q
       where ${ready} order by q.agent_profile_id, ${QUEUE_ORDER.q} limit 1)
      union all
      select next.* from h cross join lateral (
        select q.agent_profile_id, q.priority, q.execution_class, q.available_at, q.id from run_request q
        where ${ready} and q.agent_profile_id > h.agent_profile_id
        order by q.agent_profile_id, ${QUEUE_ORDER.q} limit 1) next)
    select h.* from h`;
}

/** Whether the organization `d` may start something. */
export const ORGANIZATION_MAY_START = sql`(select ${mayStartIn('organization')}
  from organization o where o.id = d.organization_id)`;

/** Whether a profile that `of` names of the organization `d` may; looked up where there is work at all. */
export function profileMayStart(of: Sql, amongKeys?: Sql): Sql {
  return sql`(select ${mayStartIn('profile', amongKeys)}
    from agent_profile p where p.organization_id = d.organization_id and p.id = ${of}.agent_profile_id)`;
}

/** Whether the organization `d` and the profile whose head is `h` may start something. */
export function mayStart(amongKeys: Sql): Sql {
  return sql`${ORGANIZATION_MAY_START} and ${profileMayStart(sql`h`, amongKeys)}`;
}
