import { sql, type Statement } from '../../../kernel/database/index.ts';
import { isOpenTask } from '../task.state.ts';
import type { FoundTask } from './task-sweep.ts';

/** How many tasks one transaction cancels with their trees. */
const SLICE = sql.raw('500');

const IS_OPEN = sql.raw(isOpenTask('t.status'));

/** Profiles that were deleted and may still own open tasks, found along an index that holds no others. */
export function profilesWithOrphans(): Statement<FoundTask> {
  return sql`
    select p.organization_id as "organizationId", p.id
    from agent_profile p join organization o on o.id = p.organization_id
    where p.deleted_at is not null and p.tasks_cancelled_at is null and o.status = 'active'
    limit 100`;
}

/** Open tasks of a profile behind one of them, by id. */
export function openTasksOf(organizationId: string, profileId: string, behind: string): Statement<{ id: string }> {
  return sql`
    select t.id from task t
    where t.organization_id = ${organizationId} and t.owner_agent_profile_id = ${profileId} and t.id > ${behind}
      and ${IS_OPEN}
    order by t.id limit ${SLICE}`;
}

/**
 * Marks a profile of which no open task is left. Waits a minute from its deletion: a creation that saw the profile
 * before has ended then, since no transaction takes a minute.
 */
export function markTasksCancelled(organizationId: string, profileId: string): Statement {
  const organization = sql.value(organizationId);
  const profile = sql.value(profileId);
  return sql`
    with held as materialized (
      select p.id, clock_timestamp() as at from agent_profile p
      where p.organization_id = ${organization} and p.id = ${profile}
        and p.deleted_at < clock_timestamp() - interval '1 minute'
        and not exists (select from task t
          where t.organization_id = ${organization} and t.owner_agent_profile_id = ${profile} and ${IS_OPEN})
      for no key update),
    moved as (
      update agent_profile p set tasks_cancelled_at = h.at
      from held h where p.organization_id = ${organization} and p.id = h.id)
    select count(*) from held`;
}
