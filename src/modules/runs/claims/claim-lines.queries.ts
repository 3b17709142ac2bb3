import { type Sql, sql } from '../../../kernel/database/index.ts';
import { MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { HAS_PLACE, ORGANIZATION_HAS_READY } from '../../tasks/index.ts';
import { ORGANIZATION_PLACES } from './claim-queues.queries.ts';

/** Parts of the claim: in which order it asks organizations, and how it marks those that it served. */

/** Which organizations a claim asks. */
export interface ClaimScope {
  readonly organizationIds: readonly string[] | null;
  readonly profileKeys: readonly string[] | null;
}

/** Places at the front of each line that a claim of several profile keys looks at. */
const FRONT = sql.raw(String(2 * MAX_CLAIMS));

/**
 * The organizations `d` that a claim asks, least recently served first: those that it names, those in the lines of the
 * keys that it names, else the line of all. Each is found by its key, or along an index and no further than it takes.
 * `condition` is of the claim.
 */
export function organizationLine(scope: ClaimScope, condition: Sql): Sql {
  return sql`select d.organization_id, room.places from ${lineCandidates(scope)} d
            cross join lateral (${ORGANIZATION_PLACES}) room
            where ${condition} and ${ORGANIZATION_HAS_READY} order by d.last_served_at, d.organization_id`;
}

function lineCandidates({ organizationIds, profileKeys }: ClaimScope): Sql {
  if (organizationIds)
    return sql`(select named.* from unnest(${[...new Set(organizationIds)]}::uuid[]) asked(organization_id)
              cross join lateral (
                select d.organization_id, d.last_served_at from organization_dispatch d
                where d.organization_id = asked.organization_id and ${HAS_PLACE} limit 1) named)`;
  if (profileKeys?.length === 1)
    return sql`(select d.organization_id, d.last_served_at from profile_dispatch d
              where d.profile_key = ${profileKeys[0]!}::text and d.next_ready_at is not null)`;
  if (profileKeys)
    return sql`(select front.organization_id, min(front.last_served_at) as last_served_at
              from unnest(${[...new Set(profileKeys)]}::text[]) asked(profile_key)
              cross join lateral (
                select d.organization_id, d.last_served_at from profile_dispatch d
                where d.profile_key = asked.profile_key and d.next_ready_at is not null
                order by d.last_served_at, d.organization_id limit ${FRONT}) front
              group by front.organization_id)`;
  return sql`(select d.organization_id, d.last_served_at from organization_dispatch d
              where d.next_ready_at is not null)`;
}

/**
 * CTEs that send what `picked` names (organization and profile) to the end of the line, unless another claim is about to
 * do that; an organization that is alone in the line is sent once a second. Where places are scarce, they note the claim
 * too, whose lock is held then.
 */
export function markServed({ organizationIds, profileKeys }: ClaimScope): Sql {
  const byKey = !organizationIds && profileKeys !== null;
  return byKey ? sql`${MARK_ORGANIZATIONS_SERVED}, ${MARK_PROFILES_SERVED}` : MARK_ORGANIZATIONS_SERVED;
}

/** Whether an organization `stale` does not stand at the end of the line, where it belongs. */
const NOT_SENT = sql`(stale.last_served_at < clock_timestamp() - interval '1 second' or exists (
                select from organization_dispatch other
                where other.next_ready_at is not null and other.last_served_at >= stale.last_served_at
                  and other.organization_id <> stale.organization_id))`;

const MARK_ORGANIZATIONS_SERVED = sql`served as (
      update organization_dispatch d set last_served_at = stale.served_at, claims = stale.claims
      from (select stale.organization_id, stale.claims + p.scarce as claims,
              case when ${NOT_SENT} then clock_timestamp() else stale.last_served_at end as served_at
            from (select picked.organization_id, max(picked.scarce::int) as scarce from picked
                  group by picked.organization_id) p
            join organization_dispatch stale on stale.organization_id = p.organization_id
            where p.scarce = 1 or ${NOT_SENT}
            for no key update of stale skip locked) stale
      where d.organization_id = stale.organization_id)`;

const MARK_PROFILES_SERVED = sql`profiles_served as (
      update profile_dispatch d set last_served_at = stale.now
      from (select stale.organization_id, stale.agent_profile_id, clock_timestamp() as now
            from (select distinct picked.organization_id, picked.agent_profile_id from picked) picked
            join profile_dispatch stale on stale.organization_id = picked.organization_id
              and stale.agent_profile_id = picked.agent_profile_id
            where stale.last_served_at < clock_timestamp() - interval '1 second' or exists (
              select from profile_dispatch other
              where other.profile_key = stale.profile_key and other.next_ready_at is not null
                and other.last_served_at >= stale.last_served_at and other.organization_id <> stale.organization_id)
            for no key update of stale skip locked) stale
      where d.organization_id = stale.organization_id and d.agent_profile_id = stale.agent_profile_id)`;
