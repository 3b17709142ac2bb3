import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { Edge } from '../graph/task-cycles.ts';
import type { TaskStatus } from '../task.state.ts';

export function removeDependency(organizationId: string, { taskId, dependsOnTaskId }: Edge): Statement {
  return sql`
    delete from task_dependency
    where organization_id = ${organizationId} and task_id = ${taskId} and depends_on_task_id = ${dependsOnTaskId}`;
}

/** What a plan changes of a task; `spec` is merged, null leaves a column as it is. */
export interface TaskChanges {
  readonly spec: object;
  readonly priority: number | null;
  readonly dueAt: string | null;
}

export function updateTask(organizationId: string, id: string, { spec, priority, dueAt }: TaskChanges): Statement {
  return sql`
    update task set spec = spec || ${JSON.stringify(spec)}::jsonb, priority = coalesce(${priority}::int, priority),
      due_at = coalesce(${dueAt}::timestamptz, due_at), version = version + 1, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}`;
}

/** Gives the request of a task that waits, or is claimed, the task's new priority. */
export function reprioritizeRequest(organizationId: string, taskId: string, priority: number): Statement {
  return sql`
    update run_request set priority = ${priority}, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and task_id = ${taskId} and status in ('queued', 'claimed')`;
}

/** What decides whether a plan may touch a task. */
export interface PlannedTask {
  readonly status: TaskStatus;
  readonly rootTaskId: string;
  readonly department: string | null;
}

export function plannedTask(organizationId: string, id: string): Statement<PlannedTask> {
  return sql`
    select t.status, t.root_task_id as "rootTaskId", p.department
    from task t join agent_profile p on p.organization_id = t.organization_id and p.id = t.owner_agent_profile_id
    where t.organization_id = ${organizationId} and t.id = ${id}`;
}
