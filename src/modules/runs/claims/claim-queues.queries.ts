import { type Sql, sql } from '../../../kernel/database/index.ts';
import { MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { isClaimable } from '../../tasks/index.ts';
import { isPermittedIn, mayStartIn, PLACES } from '../run-start.policy.ts';

/**
 * Parts of the claim: how it walks the queues of ready work in an organization. They name the organization `d`, how many
 * more requests it may be handed `d.places`, the number to take now `d.items`, and the head of a profile's queue `h`.
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

/** How a claim picks in an organization: what is ready, of profiles that may start more, with the places `h` then has. */
export interface Pick {
  readonly ready: Ready;
  /** The places of the profile whose head is `h`. */
  readonly places: Sql;
}

/**
 * From so many places on, claims of an organization do not wait for each other: together they would have to take that
 * many in the same instant to hand out one too many, which its start would refuse then.
 */
const PLENTY = sql.raw('1000');
const IS_SCARCE = sql`least(d.places, h.places) < ${PLENTY}`;

/**
 * Lets one claim at a time take the last places of an organization, and only one that has counted what the one before it
 * took: each notes itself in the row that it locks, behind which the counts of all others are stale. None waits for the
 * lock; whoever does not get it tries again (`isContended`).
 */
const IS_OURS = sql`case when ${IS_SCARCE} then (
        select true from organization_dispatch seen
        join organization_dispatch l on l.organization_id = seen.organization_id and l.claims = seen.claims
        where seen.organization_id = d.organization_id limit 1 for no key update of l skip locked) else true end`;

/** The first free request of an organization: of the profile whose head comes first, and so on. */
export function firstReady(pick: Pick): Sql {
  return sql`select r.id, h.agent_profile_id, ${IS_SCARCE} as scarce
    from (${ableHeads(pick)} order by ${QUEUE_ORDER.h}) h
    cross join lateral (
      select r.id from run_request r
      where ${pick.ready.r} and r.agent_profile_id = h.agent_profile_id and ${IS_OURS}
      order by ${QUEUE_ORDER.r} limit 1
      for no key update skip locked) r
    limit 1`;
}

/** The first requests of an organization, all its profiles' queues together. */
export function bestReady(pick: Pick): Sql {
  return sql`select r.id, h.agent_profile_id, ${IS_SCARCE} as scarce
    from (
      select q.*, h.agent_profile_id, h.places from (${ableHeads(pick)}) h
      cross join lateral (
        select few.* from (
          select q.priority, q.execution_class, q.available_at, q.id from run_request q
          where ${pick.ready.q} and q.agent_profile_id = h.agent_profile_id
          order by ${QUEUE_ORDER.q} limit ${sql.raw(String(MAX_CLAIMS + HELD_BY_OTHERS))}) few
        -- nobody else holds some where the places are scarce
        limit case when ${IS_SCARCE} then least(d.items, h.places) else d.items + ${sql.raw(String(HELD_BY_OTHERS))} end) q
      order by ${QUEUE_ORDER.q}) h
    cross join lateral (
      select r.id from run_request r where ${pick.ready.r} and r.id = h.id and ${IS_OURS}
      for no key update skip locked) r
    limit d.items`;
}

/** Whether the organization `d` has something that a claim would pick, had no other claim taken it at this moment. */
export function isContended(pick: Pick): Sql {
  return sql`exists (select from (${ableHeads(pick)}) h)`;
}

/** The heads of the profiles that may start more; places are counted for one head after the other. */
function ableHeads({ ready, places }: Pick): Sql {
  return sql`select h.*, p.places from (${queueHeads(ready)} order by ${QUEUE_ORDER.h}) h
    cross join lateral (select p.places from (${places}) p where p.places > 0 limit 1) p`;
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
export const ORGANIZATION_MAY_START = sql`(select ${sql.raw(mayStartIn('organization'))}
  from organization o where o.id = d.organization_id)`;

/** Whether a profile that `of` names of the organization `d` may; looked up where there is work at all. */
export function profileMayStart(of: Sql): Sql {
  return sql`(select ${sql.raw(mayStartIn('profile'))}
    from agent_profile p where p.organization_id = d.organization_id and p.id = ${of}.agent_profile_id)`;
}

/**
 * How much more an organization may be handed, `places`; no row where it is nothing. Of an organization `d`. A subquery
 * with a limit stays one, which asks for one key.
 */
export const ORGANIZATION_PLACES = sql`select o.places from (
      select ${sql.raw(PLACES.organization)} as places from organization o
      where o.id = d.organization_id and ${sql.raw(isPermittedIn('organization'))} limit 1) o
    where o.places > 0`;

/** The same of a profile whose head is `h`, which is among some keys. */
export function profilePlaces(amongKeys: Sql): Sql {
  return sql`select ${sql.raw(PLACES.profile)} as places from agent_profile p
      where p.organization_id = d.organization_id and p.id = h.agent_profile_id
        and ${sql.raw(isPermittedIn('profile'))}${amongKeys} limit 1`;
}
