import { MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { isClaimable } from '../../tasks/index.ts';
import { mayStartIn } from '../run-start.policy.ts';

/**
 * Parts of the claim: where the ready work of an organization stands. They name the organization `d`, what it is to give
 * `d.items`, and the head of a profile's queue `h`.
 */

/** Requests at the head of a profile's queue that may be in other claims' hands just now. */
const HELD_BY_OTHERS = 16;

export function inQueueOrder(requests: string): string {
  return `${requests}.priority desc, ${requests}.execution_class desc, ${requests}.available_at, ${requests}.id`;
}

/** A condition on requests: that they are ready, of the organization, and wanted. */
type Ready = (requests: string) => string;

/** Whatever is ready of the organization `d`. */
const anyReady: Ready = (requests) => `${requests}.organization_id = d.organization_id and ${isClaimable(requests)}`;

/** The first request of an organization that nobody holds: of the profile whose head comes first, and so on. */
export function firstReady(ready: Ready, able: string): string {
  return `select r.id, h.agent_profile_id
    from (${queueHeads(ready)} order by ${inQueueOrder('h')}) h
    cross join lateral (
      select r.id from run_request r
      where ${ready('r')} and r.agent_profile_id = h.agent_profile_id and ${able}
      order by ${inQueueOrder('r')} limit 1
      for no key update skip locked) r
    limit 1`;
}

/** The first requests of an organization, all its profiles' queues together. */
export function bestReady(ready: Ready, able: string): string {
  return `select r.id, q.agent_profile_id
    from (
      select q.*, h.agent_profile_id from (${queueHeads(ready)}) h
      cross join lateral (
        select few.* from (
          select q.priority, q.execution_class, q.available_at, q.id from run_request q
          where ${ready('q')} and q.agent_profile_id = h.agent_profile_id and ${able}
          order by ${inQueueOrder('q')} limit ${MAX_CLAIMS + HELD_BY_OTHERS}) few
        limit d.items + ${HELD_BY_OTHERS}) q
      order by ${inQueueOrder('q')}) q
    cross join lateral (
      select r.id from run_request r where ${ready('r')} and r.id = q.id
      for no key update skip locked) r
    limit d.items`;
}

/** The head of each profile's queue in an organization, a loose walk along the index. */
export function queueHeads(ready: Ready = anyReady): string {
  const head = (behind: string) =>
    `select q.agent_profile_id, q.priority, q.execution_class, q.available_at, q.id from run_request q
     where ${ready('q')} ${behind} order by q.agent_profile_id, ${inQueueOrder('q')} limit 1`;
  return `with recursive h as (
      (${head('')})
      union all
      select next.* from h cross join lateral (${head('and q.agent_profile_id > h.agent_profile_id')}) next)
    select h.* from h`;
}

/** Whether the organization `d` may start something. */
export const ORGANIZATION_MAY_START = `(select ${mayStartIn('organization')}
  from organization o where o.id = d.organization_id)`;

/** Whether a profile that `of` names of the organization `d` may; looked up where there is work at all. */
export function profileMayStart(of: string, amongKeys = ''): string {
  return `(select ${mayStartIn('profile', amongKeys)}
    from agent_profile p where p.organization_id = d.organization_id and p.id = ${of}.agent_profile_id)`;
}

/** Whether the organization `d` and the profile whose head is `h` may start something. */
export function mayStart(amongKeys: string): string {
  return `${ORGANIZATION_MAY_START} and ${profileMayStart('h', amongKeys)}`;
}
