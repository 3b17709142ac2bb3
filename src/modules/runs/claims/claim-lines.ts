import type { Values } from '../../../kernel/database/index.ts';
import { MAX_CLAIMS } from '../../../kernel/leases/index.ts';
import { ORGANIZATION_HAS_READY, HAS_PLACE } from '../../tasks/index.ts';

/** Parts of the claim: in which order it asks organizations, and how it marks those that it served. */

/** Which organizations a claim asks. */
export interface ClaimScope {
  readonly organizationIds: readonly string[] | null;
  readonly profileKeys: readonly string[] | null;
}

/** Places at the front of each line that a claim of several profile keys looks at. */
const FRONT = 2 * MAX_CLAIMS;

/**
 * The organizations `d` that a claim asks, least recently served first: those that it names, those in the lines of the
 * keys that it names, else the line of all. Each is found by its key, or along an index and no further than it takes.
 * `condition` is of the claim.
 */
export function organizationLine(
  { organizationIds, profileKeys }: ClaimScope,
  condition: string,
  values: Values,
): string {
  return `select d.organization_id from ${lineCandidates({ organizationIds, profileKeys }, values)} d
    where ${condition} and ${ORGANIZATION_HAS_READY} order by d.last_served_at, d.organization_id`;
}

function lineCandidates({ organizationIds, profileKeys }: ClaimScope, values: Values): string {
  if (organizationIds)
    return `(select named.* from unnest(${values.add([...new Set(organizationIds)])}::uuid[]) asked(organization_id)
      cross join lateral (
        select d.organization_id, d.last_served_at from organization_dispatch d
        where d.organization_id = asked.organization_id and ${HAS_PLACE} limit 1) named)`;
  if (profileKeys?.length === 1)
    return `(select d.organization_id, d.last_served_at from profile_dispatch d
      where d.profile_key = ${values.add(profileKeys[0])}::text and d.next_ready_at is not null)`;
  if (profileKeys)
    return `(select front.organization_id, min(front.last_served_at) as last_served_at
      from unnest(${values.add([...new Set(profileKeys)])}::text[]) asked(profile_key)
      cross join lateral (
        select d.organization_id, d.last_served_at from profile_dispatch d
        where d.profile_key = asked.profile_key and d.next_ready_at is not null
        order by d.last_served_at, d.organization_id limit ${FRONT}) front
      group by front.organization_id)`;
  return `(select d.organization_id, d.last_served_at from organization_dispatch d where d.next_ready_at is not null)`;
}

/**
 * CTEs that send what `picked` names (organization and profile) to the end of the line, unless somebody else is about to
 * note that; what is alone in it notes it once a second.
 */
export function markServed({ organizationIds, profileKeys }: ClaimScope): string {
  const byKey = !organizationIds && profileKeys !== null;
  return `served as (
      update organization_dispatch d set last_served_at = stale.now
      from (select stale.organization_id, clock_timestamp() as now from organization_dispatch stale
            where stale.organization_id in (select picked.organization_id from picked)
              and (stale.last_served_at < clock_timestamp() - interval '1 second' or exists (
                select from organization_dispatch other
                where other.next_ready_at is not null and other.last_served_at >= stale.last_served_at
                  and other.organization_id <> stale.organization_id))
            for no key update skip locked) stale
      where d.organization_id = stale.organization_id)${byKey ? `, ${MARK_PROFILES_SERVED}` : ''}`;
}

const MARK_PROFILES_SERVED = `profiles_served as (
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
