import { sql, type Sql, type Statement } from '../../../kernel/database/index.ts';
import {
  ORGANIZATION_HAS_READY,
  joinLines,
  organizationInLine,
  isClaimable,
  PROFILE_HAS_READY,
  profileInLine,
} from '../../tasks/index.ts';
import { ANY_READY, ORGANIZATION_MAY_START, profileMayStart, queueHeads } from './claim-queues.queries.ts';

/**
 * The upkeep of the lines along which claims look (`tasks`, `dispatch-lines.queries.ts`): what cannot start anything leaves, and
 * comes back with the event that lets it.
 *
 * An event (an end of a run, a request that becomes ready) writes its place only where it sees none, so as not to pay for a
 * row's lock each time. One whose transaction looked before a removal was committed, and commits behind it, is missed
 * that way; therefore removed places are looked at again and again until no transaction of that time can be open any more.
 */

/** Places of a line that one statement checks. */
export const PLACES_LIMIT = 1_000;
/** Places that one walk over all ready work passes. It finds work without a place, whatever mistake lost the place. */
export const WALK_LIMIT = 1_000;
const PLACES = sql.raw(String(PLACES_LIMIT));
const WALK = sql.raw(String(WALK_LIMIT));
/** A place that was taken or served since then stays: it may well be taken or served again. */
const IDLE_SINCE = sql`(select clock_timestamp()) - interval '2 seconds'`;
/** Longer than any transaction lasts (`transaction_timeout`). */
const RECENTLY = sql`(select clock_timestamp()) - interval '25 seconds'`;

const ALL_HEADS = queueHeads(ANY_READY);
const PROFILE_MAY_START = profileMayStart(sql`d`);

export interface RemovedCount {
  readonly left: number;
}

/** Removes organizations at the front of their line that cannot start anything. */
export function removeIdleOrganizations(): Statement<RemovedCount> {
  return sql`
    with looked as materialized (
      select d.organization_id from organization_dispatch d
      where d.next_ready_at is not null and d.last_served_at < ${IDLE_SINCE}
      order by d.last_served_at, d.organization_id limit ${PLACES}),
    unable as materialized (
      select d.organization_id, clock_timestamp() as now
      from looked join organization_dispatch d on d.organization_id = looked.organization_id
      where coalesce(d.next_ready_at < ${IDLE_SINCE}, false)
        and (${ORGANIZATION_HAS_READY} and ${ORGANIZATION_MAY_START}
             and exists (select from (${ALL_HEADS}) h where ${profileMayStart(sql`h`)})) is not true
      for no key update of d skip locked),
    gone as (
      update organization_dispatch d set next_ready_at = null, left_at = u.now from unable u
      where d.organization_id = u.organization_id)
    select count(*)::int as "left" from unable`;
}

/** A place in the lines of profiles, in the order of keys. */
export interface ProfilePlace {
  readonly organizationId: string;
  readonly agentProfileId: string;
}

export interface RemovedProfiles extends RemovedCount {
  readonly looked: number;
  /** The last place that was looked at; null where there was none. */
  readonly organizationId: string | null;
  readonly agentProfileId: string | null;
}

/** Removes profiles that cannot start anything from their lines, of those behind a place. Always answers one row. */
export function removeIdleProfiles(after: ProfilePlace): Statement<RemovedProfiles> {
  return sql`
    with looked as materialized (
      select d.organization_id, d.agent_profile_id from profile_dispatch d
      where d.next_ready_at is not null
        and (d.organization_id, d.agent_profile_id) > (${after.organizationId}::uuid, ${after.agentProfileId}::uuid)
      order by d.organization_id, d.agent_profile_id limit ${PLACES}),
    unable as materialized (
      select d.organization_id, d.agent_profile_id, clock_timestamp() as now
      from looked join profile_dispatch d on d.organization_id = looked.organization_id
        and d.agent_profile_id = looked.agent_profile_id
      where coalesce(d.next_ready_at < ${IDLE_SINCE}, false) and d.last_served_at < ${IDLE_SINCE}
        and (${PROFILE_HAS_READY} and ${ORGANIZATION_MAY_START} and ${PROFILE_MAY_START}) is not true
      for no key update of d skip locked),
    gone as (
      update profile_dispatch d set next_ready_at = null, left_at = u.now from unable u
      where d.organization_id = u.organization_id and d.agent_profile_id = u.agent_profile_id)
    select (select count(*)::int from unable) as "left", (select count(*)::int from looked) as looked,
      last.organization_id as "organizationId", last.agent_profile_id as "agentProfileId"
    from (select) one left join lateral (
      select looked.* from looked
      order by looked.organization_id desc, looked.agent_profile_id desc limit 1) last on true`;
}

export interface AddedPlaces {
  /** The organization whose profiles got places; null in the row that says how far the walk came. */
  readonly organizationId: string | null;
  readonly count: number;
  readonly walked: number;
  readonly last: ProfilePlace | null;
}

/** The first profile with ready work behind a place. */
function nextReady(place: Sql): Sql {
  return sql`select q.organization_id, q.agent_profile_id from run_request q
        where ${sql.raw(isClaimable('q'))} and (q.organization_id, q.agent_profile_id) > (${place})
        order by q.organization_id, q.agent_profile_id limit 1`;
}

/**
 * Gives places to work that may start and has none: of organizations and profiles that were removed lately, and of those
 * behind a place in a walk over all that is ready, one step a profile. Answers one row for each organization, and one
 * that says how far the walk came.
 */
export function addMissing(after: ProfilePlace): Statement<AddedPlaces> {
  return sql`
    -- the walk
    with recursive walk(organization_id, agent_profile_id, step) as (
      (select w.organization_id, w.agent_profile_id, 1
       from (${nextReady(sql`${after.organizationId}::uuid, ${after.agentProfileId}::uuid`)}) w)
      union all
      select w.organization_id, w.agent_profile_id, walk.step + 1
      from walk cross join lateral (${nextReady(sql`walk.organization_id, walk.agent_profile_id`)}) w
      where walk.step < ${WALK}),
    walked as materialized (select w.* from walk w),
    -- those that were removed lately
    lately as materialized (
      (select d.organization_id, d.agent_profile_id from profile_dispatch d
       where d.left_at > ${RECENTLY} and ${PROFILE_HAS_READY} order by d.left_at desc limit ${WALK})
      union all
      (select d.organization_id, h.agent_profile_id
       from (select d.organization_id from organization_dispatch d
             where d.left_at > ${RECENTLY} order by d.left_at desc limit ${WALK}) d
       cross join lateral (${ALL_HEADS}) h)),
    -- places for those that have none and may start
    missing as materialized (
      select d.organization_id, d.agent_profile_id
      from (select w.organization_id, w.agent_profile_id from walked w
            union select l.organization_id, l.agent_profile_id from lately l) found
      cross join lateral (select found.organization_id, found.agent_profile_id) d
      where (${organizationInLine(sql`found`)} is null or ${profileInLine(sql`found`)} is null)
        and ${ORGANIZATION_MAY_START} and ${PROFILE_MAY_START}),
    ${joinLines(sql`missing`)}
    -- the answers
    select m.organization_id as "organizationId", count(*)::int as count, 0 as walked, null::jsonb as last
    from missing m group by m.organization_id
    union all
    select null, 0, (select count(*)::int from walked),
      (select jsonb_build_object('organizationId', w.organization_id, 'agentProfileId', w.agent_profile_id)
       from walked w order by w.step desc limit 1)`;
}
