import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isClaimable } from './run-request.state.ts';

/**
 * Statements, and parts of some, that keep the two lines along which claims look for work: organizations
 * (`organization_dispatch`) and their profiles (`profile_dispatch`), only those in which something is ready and may
 * start. Lines are hints: the claim, and then the start, decide again.
 */

const CLAIMABLE = sql.raw(isClaimable('q'));

/**
 * Whether `d` has a place in its line, or was removed from it, where it is found by its key. Worded so that no index of
 * the line can answer: a plan would walk all that is in it.
 */
export const HAS_PLACE = sql`coalesce(d.next_ready_at > '-infinity', false)`;
const WAS_REMOVED = sql`coalesce(d.left_at > '-infinity', false)`;

/** Whether the organization of `of` is in its line. A subquery with a limit stays one, which asks for one key. */
export const organizationInLine = (of: Sql) => sql`(select true from organization_dispatch d
      where d.organization_id = ${of}.organization_id and ${HAS_PLACE} limit 1)`;

/** The same of a profile. */
export const profileInLine = (of: Sql) => sql`(select true from profile_dispatch d
      where d.organization_id = ${of}.organization_id and d.agent_profile_id = ${of}.agent_profile_id
        and ${HAS_PLACE} limit 1)`;

/**
 * Two CTEs that put organizations and profiles of a relation into their lines. Each writes only where the place is not
 * taken yet, so that busy organizations do not queue up for the row; once, however many of its requests the relation
 * holds.
 */
export function joinLines(relation: Sql): Sql {
  const rows = sql.shared(relation);
  return sql`organizations_joined as (
      insert into organization_dispatch (organization_id, next_ready_at)
      select h.organization_id, clock_timestamp() from ${rows} h
      where ${organizationInLine(sql`h`)} is null
      group by h.organization_id order by h.organization_id
      on conflict (organization_id) do update set next_ready_at = excluded.next_ready_at, left_at = null),
    profiles_joined as (
      insert into profile_dispatch (organization_id, agent_profile_id, profile_key, next_ready_at)
      select p.organization_id, p.id, p.key, clock_timestamp()
      from (select distinct h.organization_id, h.agent_profile_id from ${rows} h
            where ${profileInLine(sql`h`)} is null) h
      join agent_profile p on p.organization_id = h.organization_id and p.id = h.agent_profile_id
      order by p.organization_id, p.id
      on conflict (organization_id, agent_profile_id) do update
        set next_ready_at = excluded.next_ready_at, left_at = null)`;
}

/** Puts an organization and these profiles of it into their lines. */
export function joinLinesOf(organizationId: string, profileIds: readonly string[]): Statement {
  const profiles = sql`(select ${organizationId}::uuid as organization_id,
        unnest(${profileIds}::uuid[]) as agent_profile_id)`;
  return sql`with ${joinLines(profiles)} select`;
}

/** Whether something of the profile `d` is ready. A subquery with a limit stays one, which reads one profile's entry. */
export const PROFILE_HAS_READY = sql`(select true from run_request q
  where q.organization_id = d.organization_id and q.agent_profile_id = d.agent_profile_id and ${CLAIMABLE} limit 1)`;

/** The same of the organization `d`. */
export const ORGANIZATION_HAS_READY = sql`(select true from run_request q
  where q.organization_id = d.organization_id and ${CLAIMABLE} limit 1)`;

/**
 * Two CTEs that bring the organizations of a relation back into the lines, where they left them although something was
 * ready: what held it back may be over. Where nothing has left they read two keys and write nothing.
 */
export function rejoinLines(relation: Sql): Sql {
  return rejoinLinesIf(relation, sql`and ${WAS_REMOVED}`);
}

/**
 * A CTE that brings back the other profiles of organizations whose requests, in the relation, join the lines themselves:
 * their claims ended, so a place is free.
 */
export function rejoinOtherProfiles(relation: Sql): Sql {
  const rows = sql.shared(relation);
  return sql`others_rejoined as (
      update profile_dispatch d set next_ready_at = b.now, left_at = null
      from (select d.organization_id, d.agent_profile_id, clock_timestamp() as now
            from (select distinct e.organization_id from ${rows} e) e
            join profile_dispatch d on d.organization_id = e.organization_id
            where ${PROFILE_HAS_READY} and ${WAS_REMOVED} and not exists (select from ${rows} own
              where own.organization_id = d.organization_id and own.agent_profile_id = d.agent_profile_id)
            order by d.organization_id, d.agent_profile_id for no key update of d) b
      where d.organization_id = b.organization_id and d.agent_profile_id = b.agent_profile_id)`;
}

/** Brings an organization back into the lines, where it left them although something was ready. */
export function rejoinLinesOfOne(organizationId: string): Statement {
  const organization = sql`(select ${organizationId}::uuid as organization_id)`;
  return sql`with ${rejoinLines(organization)} select`;
}

/**
 * Brings an organization back into the lines whether it has left them or not, for what happens seldom. Waits for a
 * transaction that is just removing it; that one passes by a row that has changed since it looked.
 */
export function rejoinLinesOf(organizationId: string): Statement {
  const organization = sql`(select ${organizationId}::uuid as organization_id)`;
  return sql`with ${rejoinLinesIf(organization, sql``)} select`;
}

function rejoinLinesIf(relation: Sql, condition: Sql): Sql {
  const rows = sql.shared(relation);
  return sql`organizations_rejoined as (
      update organization_dispatch d set next_ready_at = b.now, left_at = null
      from (select d.organization_id, clock_timestamp() as now
            from (select distinct e.organization_id from ${rows} e) e
            join organization_dispatch d on d.organization_id = e.organization_id
            where ${ORGANIZATION_HAS_READY} ${condition}
            order by d.organization_id for no key update of d) b
      where d.organization_id = b.organization_id),
    profiles_rejoined as (
      update profile_dispatch d set next_ready_at = b.now, left_at = null
      from (select d.organization_id, d.agent_profile_id, clock_timestamp() as now
            from (select distinct e.organization_id from ${rows} e) e
            join profile_dispatch d on d.organization_id = e.organization_id
            where ${PROFILE_HAS_READY} ${condition}
            order by d.organization_id, d.agent_profile_id for no key update of d) b
      where d.organization_id = b.organization_id and d.agent_profile_id = b.agent_profile_id)`;
}
