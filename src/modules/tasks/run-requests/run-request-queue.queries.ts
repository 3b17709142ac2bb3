import { sql, type Statement } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { DEFAULT_MAX_ATTEMPTS, isOpenRequest } from './run-request.state.ts';

const IS_OPEN = sql.raw(isOpenRequest('open.status'));

/** Queues a request for each task that is `pending`, has none open and has run budget left. */
export function insertRequests(
  organizationId: string,
  taskIds: readonly string[],
): Statement<{ ready: boolean; agentProfileId: string }> {
  return sql`
    insert into run_request (organization_id, id, task_id, agent_profile_id, mode, execution_class, priority,
      dedupe_key, task_version, task_graph_revision, ready, available_at, max_attempts)
    select t.organization_id, wanted.id, t.id, t.owner_agent_profile_id, t.phase,
      case when t.kind = 'task' then 'standard' else 'background' end, t.priority,
      t.id || ':' || t.phase || ':' || t.version, t.version, root.graph_revision,
      coalesce(t.scheduled_at <= clock_timestamp(), true), greatest(t.scheduled_at, clock_timestamp()),
      ${sql.raw(String(DEFAULT_MAX_ATTEMPTS))}
    from unnest(${taskIds}::uuid[], ${taskIds.map(newId)}::uuid[]) wanted(task_id, id)
    join task t on t.organization_id = ${organizationId} and t.id = wanted.task_id
    join task root on root.organization_id = t.organization_id and root.id = t.root_task_id
    where t.status = 'pending' and t.consumed_agent_run_count < t.max_agent_runs
      and not exists (select from run_request open
        where open.organization_id = t.organization_id and open.task_id = t.id and ${IS_OPEN})
    returning ready, agent_profile_id as "agentProfileId"`;
}

/** Those of tasks that are `pending` and have used up their run budget. */
export function exhaustedAmong(organizationId: string, taskIds: readonly string[]): Statement<{ id: string }> {
  return sql`
    select id from task
    where organization_id = ${organizationId} and id = any(${taskIds}::uuid[]) and status = 'pending'
      and consumed_agent_run_count >= max_agent_runs`;
}

/** How many requests of an organization wait; a claimed one has not started. */
export function queuedRequests(organizationId: string): Statement<{ queuedRunRequests: number }> {
  return sql`
    select count(*)::int as "queuedRunRequests" from run_request
    where organization_id = ${organizationId} and status in ('queued', 'claimed')`;
}
