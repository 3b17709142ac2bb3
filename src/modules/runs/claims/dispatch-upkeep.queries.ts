import { type Statement, statement } from '../../../kernel/database/index.ts';
import { HAS_READY, hintReady, IN_LINE, isClaimable, PROFILE_HAS_READY, PROFILE_IN_LINE } from '../../tasks/index.ts';
import { headsOf, ORGANIZATION_MAY_START, profileMayStart } from './claim-queues.ts';

/**
 * The upkeep of the lines along which claims look (`tasks`, `dispatch-lines.ts`): what cannot start anything leaves, and
 * comes back with the event that lets it.
 *
 * An event (an end of a run, a request that becomes ready) writes its place only where it sees none, so as not to pay for a
 * row's lock each time. One whose transaction looked before a leave was committed, and commits behind it, is missed that
 * way; therefore whoever left is looked at again and again until no transaction of that time can be open any more.
 */

/** Places of a line that one look takes in. */
export const LOOK = 1_000;
/** Places that are walked beside those that left lately: work that has no place at all, by whatever mistake. */
export const STEPS = 1_000;
/** What was hinted at or served so lately may well be so again. */
const RESTING = `(select clock_timestamp()) - interval '2 seconds'`;
/** Longer than any transaction lasts (`transaction_timeout`). */
const LATELY = `(select clock_timestamp()) - interval '25 seconds'`;

export interface Left {
  readonly left: number;
}

/** Takes those at the front of the line of organizations out of it that cannot start anything. */
export function leaveOrganizations(): Statement<Left> {
  return statement(
    `with looked as materialized (
       select d.organization_id from organization_dispatch d
       where d.next_ready_at is not null and d.last_served_at < ${RESTING}
       order by d.last_served_at, d.organization_id limit ${LOOK}),
     unable as materialized (
       select d.organization_id, clock_timestamp() as now
       from looked join organization_dispatch d on d.organization_id = looked.organization_id
       where coalesce(d.next_ready_at < ${RESTING}, false)
         and (${HAS_READY} and ${ORGANIZATION_MAY_START}
              and exists (select from (${headsOf()}) h where ${profileMayStart('h')})) is not true
       for no key update of d skip locked),
     gone as (
       update organization_dispatch d set next_ready_at = null, left_at = u.now from unable u
       where d.organization_id = u.organization_id)
     select count(*)::int as "left" from unable`,
  );
}

/** A place in the lines of profiles, in the order of keys. */
export interface ProfilePlace {
  readonly organizationId: string;
  readonly agentProfileId: string;
}

export interface LeftProfiles extends Left {
  readonly looked: number;
  /** The last that was looked at; null where there was none. */
  readonly organizationId: string | null;
  readonly agentProfileId: string | null;
}

/** Takes profiles out of their lines that cannot start anything, of those behind a place. Always answers one row. */
export function leaveProfiles(after: ProfilePlace): Statement<LeftProfiles> {
  return statement(
    `with looked as materialized (
       select d.organization_id, d.agent_profile_id from profile_dispatch d
       where d.next_ready_at is not null and (d.organization_id, d.agent_profile_id) > ($1::uuid, $2::uuid)
       order by d.organization_id, d.agent_profile_id limit ${LOOK}),
     unable as materialized (
       select d.organization_id, d.agent_profile_id, clock_timestamp() as now
       from looked join profile_dispatch d on d.organization_id = looked.organization_id
         and d.agent_profile_id = looked.agent_profile_id
       where coalesce(d.next_ready_at < ${RESTING}, false) and d.last_served_at < ${RESTING}
         and (${PROFILE_HAS_READY} and ${ORGANIZATION_MAY_START} and ${profileMayStart('d')}) is not true
       for no key update of d skip locked),
     gone as (
       update profile_dispatch d set next_ready_at = null, left_at = u.now from unable u
       where d.organization_id = u.organization_id and d.agent_profile_id = u.agent_profile_id)
     select (select count(*)::int from unable) as "left", (select count(*)::int from looked) as looked,
       last.organization_id as "organizationId", last.agent_profile_id as "agentProfileId"
     from (select) one left join lateral (
       select looked.* from looked order by looked.organization_id desc, looked.agent_profile_id desc limit 1) last on true`,
    after.organizationId,
    after.agentProfileId,
  );
}

export interface Returned {
  /** Of one that has a place again; null in the row that says how far the walk came. */
  readonly organizationId: string | null;
  readonly count: number;
  readonly walked: number;
  readonly last: ProfilePlace | null;
}

/**
 * Gives places to what may start and has none: those that left lately, and those behind a place in a walk over all that is
 * ready, one step a profile. One row each and one that says how far the walk came.
 */
export function returnMissing(after: ProfilePlace): Statement<Returned> {
  const next = (behind: string) =>
    `select q.organization_id, q.agent_profile_id from run_request q
     where ${isClaimable('q')} and (q.organization_id, q.agent_profile_id) > (${behind})
     order by q.organization_id, q.agent_profile_id limit 1`;
  return statement(
    `with recursive walk(organization_id, agent_profile_id, step) as (
       (select w.organization_id, w.agent_profile_id, 1 from (${next('$1::uuid, $2::uuid')}) w)
       union all
       select w.organization_id, w.agent_profile_id, walk.step + 1
       from walk cross join lateral (${next('walk.organization_id, walk.agent_profile_id')}) w
       where walk.step < ${STEPS}),
     walked as materialized (select w.* from walk w),
     lately as materialized (
       (select d.organization_id, d.agent_profile_id from profile_dispatch d
        where d.left_at > ${LATELY} and ${PROFILE_HAS_READY} order by d.left_at desc limit ${STEPS})
       union all
       (select d.organization_id, h.agent_profile_id
        from (select d.organization_id from organization_dispatch d
              where d.left_at > ${LATELY} order by d.left_at desc limit ${STEPS}) d
        cross join lateral (${headsOf()}) h)),
     missing as materialized (
       select d.organization_id, d.agent_profile_id
       from (select w.organization_id, w.agent_profile_id from walked w
             union select l.organization_id, l.agent_profile_id from lately l) found
       cross join lateral (select found.organization_id, found.agent_profile_id) d
       where (${IN_LINE('found')} is null or ${PROFILE_IN_LINE('found')} is null)
         and ${ORGANIZATION_MAY_START} and ${profileMayStart('d')}),
     ${hintReady('missing')}
     select m.organization_id as "organizationId", count(*)::int as count, 0 as walked, null::jsonb as last
     from missing m group by m.organization_id
     union all
     select null, 0, (select count(*)::int from walked),
       (select jsonb_build_object('organizationId', w.organization_id, 'agentProfileId', w.agent_profile_id)
        from walked w order by w.step desc limit 1)`,
    after.organizationId,
    after.agentProfileId,
  );
}
