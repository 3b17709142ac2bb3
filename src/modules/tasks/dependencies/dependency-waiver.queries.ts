import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { Edge } from '../graph/task-cycles.ts';
import { dependencyMoves, type DependencyStatus } from '../graph/task-dependency.state.ts';

const WAIVE = {
  permitted: sql.raw(dependencyMoves.permits('waive', 'status')),
  status: sql.raw(dependencyMoves.moved('waive', 'status')),
};

/** The status of a dependency, read anew behind the lock of its task. */
export function dependencyStatus(
  organizationId: string,
  { taskId, dependsOnTaskId }: Edge,
): Statement<{ status: DependencyStatus }> {
  return sql`
    select status from task_dependency
    where organization_id = ${organizationId} and task_id = ${taskId} and depends_on_task_id = ${dependsOnTaskId}`;
}

/** Waives a dependency that is pending or failed. The caller holds its task's lock. */
export function waiveDependency(organizationId: string, { taskId, dependsOnTaskId }: Edge): Statement {
  return sql`
    update task_dependency set status = ${WAIVE.status}, failure = null, failed_at = null
    where organization_id = ${organizationId} and task_id = ${taskId} and depends_on_task_id = ${dependsOnTaskId}
      and ${WAIVE.permitted}`;
}
