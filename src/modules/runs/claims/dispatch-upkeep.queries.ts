import { sql, type Statement, statement } from '../../../kernel/database/index.ts';
import {
  ORGANIZATION_HAS_READY,
  joinLines,
  organizationInLine,
  isClaimable,
  PROFILE_HAS_READY,
  profileInLine,
} from '../../tasks/index.ts';
import { queueHeads, ORGANIZATION_MAY_START, profileMayStart } from './claim-queues.ts';

/**
 * The upkeep of the lines along which claims look (`tasks`, `dispatch-lines.ts`): what cannot start anything leaves, and
 * comes back with the event that lets it.
 *
 * An event (an end of a run, a request that becomes ready) writes its place only where it sees none, so as not to pay for a
 * row's lock each time. One whose transaction looked before a leave was committed, and commits behind it, is missed that
 * way; therefore whoever left is looked at again and again until no transaction of that time can be open any more.
 */

/** Places of a line that one statement checks. */
export const PLACES_LIMIT = 1_000;
/** Places that a walk over all ready work passes, beside those that left lately: it finds work without a place, whatever the mistake. */
export const WALK_LIMIT = 1_000;
/** A place that was taken or served since then stays: it may well be so again. */
const IDLE_SINCE = `(select clock_timestamp()) - interval '2 seconds'`;
/** Longer than any transaction lasts (`transaction_timeout`). */
const RECENTLY = `(select clock_timestamp()) - interval '25 seconds'`;

export interface RemovedCount {
  readonly left: number;
}

/** Takes those at the front of the line of organizations out of it that cannot start anything. */
export function removeIdleOrganizations(): Statement<RemovedCount> {
  return statement(
    `with looked as materialized (
       select d.organization_id from organization_dispatch d
       where d.next_ready_at is not null and d.last_served_at < ${IDLE_SINCE}
       order by d.last_served_at, d.organization_id limit ${PLACES_LIMIT}),
     unable as materialized (
       select d.organization_id, clock_timestamp() as now
       from looked join organization_dispatch d on d.organization_id = looked.organization_id
       where coalesce(d.next_ready_at < ${IDLE_SINCE}, false)
         and (${ORGANIZATION_HAS_READY} and ${ORGANIZATION_MAY_START}
              and exists (select from (${queueHeads()}) h where ${profileMayStart('h')})) is not true
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

export interface RemovedProfiles extends RemovedCount {
  readonly looked: number;
  /** The last that was looked at; null where there was none. */
  readonly organizationId: string | null;
  readonly agentProfileId: string | null;
}

/** Takes profiles out of their lines that cannot start anything, of those behind a place. Always answers one row. */
export function removeIdleProfiles(after: ProfilePlace): Statement<RemovedProfiles> {
  return statement(
    `with looked as materialized (
       select d.organization_id, d.agent_profile_id from profile_dispatch d
       where d.next_ready_at is not null and (d.organization_id, d.agent_profile_id) > ($1::uuid, $2::uuid)
       order by d.organization_id, d.agent_profile_id limit ${PLACES_LIMIT}),
     unable as materialized (
       select d.organization_id, d.agent_profile_id, clock_timestamp() as now
       from looked join profile_dispatch d on d.organization_id = looked.organization_id
         and d.agent_profile_id = looked.agent_profile_id
       where coalesce(d.next_ready_at < ${IDLE_SINCE}, false) and d.last_served_at < ${IDLE_SINCE}
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

export interface AddedPlaces {
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
export function addMissing(after: ProfilePlace): Statement<AddedPlaces> {
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
       where walk.step < ${WALK_LIMIT}),
     walked as materialized (select w.* from walk w),
     lately as materialized (
       (select d.organization_id, d.agent_profile_id from profile_dispatch d
        where d.left_at > ${RECENTLY} and ${PROFILE_HAS_READY} order by d.left_at desc limit ${WALK_LIMIT})
       union all
       (select d.organization_id, h.agent_profile_id
        from (select d.organization_id from organization_dispatch d
              where d.left_at > ${RECENTLY} order by d.left_at desc limit ${WALK_LIMIT}) d
        cross join lateral (${queueHeads()}) h)),
     missing as materialized (
       select d.organization_id, d.agent_profile_id
       from (select w.organization_id, w.agent_profile_id from walked w
             union select l.organization_id, l.agent_profile_id from lately l) found
       cross join lateral (select found.organization_id, found.agent_profile_id) d
       where (${organizationInLine(sql`found`)} is null or ${profileInLine(sql`found`)} is null)
         and ${ORGANIZATION_MAY_START} and ${profileMayStart('d')}),
     ${joinLines(sql`missing`)}
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
