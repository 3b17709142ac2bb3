import { ISO_NOW, sql, type Statement } from '../../../kernel/database/index.ts';
import { ARTIFACT_KINDS } from './dependents.queries.ts';
import type { Edge } from './task-cycles.ts';
import type { DependencyCondition } from './task-dependency.state.ts';
import { TOKEN_TAKEN } from '../run-requests/run-request-moves.queries.ts';
import { runRequestMoves } from '../run-requests/run-request.state.ts';
import { type EndedTaskStatus, isEndedTask, taskMoves } from '../task.state.ts';

const BLOCK = {
  permitted: sql.raw(taskMoves.permits('block', 't.status')),
  status: sql.raw(taskMoves.moved('block', 't.status')),
};
const SUPERSEDE = {
  permitted: sql.raw(runRequestMoves.permits('supersede', 'status')),
  status: sql.raw(runRequestMoves.moved('supersede', 'status')),
};
const HAS_ENDED = sql.raw(isEndedTask('t.status'));
const NOW = sql.raw(ISO_NOW);

export interface PendingEdge extends Edge {
  readonly required: boolean;
  readonly condition: DependencyCondition;
}

export function insertDependencies(organizationId: string, edges: readonly PendingEdge[]): Statement {
  const rows = edges.map(({ taskId, dependsOnTaskId, required, condition }) => ({
    taskId,
    dependsOnTaskId,
    required,
    condition,
  }));
  return sql`
    insert into task_dependency (organization_id, task_id, depends_on_task_id, required, condition)
    select ${organizationId}, e."taskId", e."dependsOnTaskId", e.required, e.condition
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      e("taskId" uuid, "dependsOnTaskId" uuid, required boolean, condition jsonb)`;
}

/** Blocks tasks on their new dependencies, where a task is pending or blocked. */
export function blockTasks(organizationId: string, edges: readonly Edge[]): Statement {
  const taskIds = edges.map(({ taskId }) => taskId);
  const prerequisites = edges.map(({ dependsOnTaskId }) => dependsOnTaskId);
  return sql`
    update task t set status = ${BLOCK.status}, blockers = t.blockers || added.blockers, version = t.version + 1,
      updated_at = clock_timestamp()
    from (select e.task_id,
            jsonb_agg(jsonb_build_object('kind', 'dependency', 'dependsOnTaskId', e.depends_on, 'since', ${NOW}))
              as blockers
          from unnest(${taskIds}::uuid[], ${prerequisites}::uuid[]) e(task_id, depends_on)
          group by e.task_id) added
    where t.organization_id = ${organizationId} and t.id = added.task_id and ${BLOCK.permitted}`;
}

/** Ends the requests of tasks that wait or are claimed. */
export function supersedeRequests(organizationId: string, taskIds: readonly string[]): Statement {
  return sql`
    update run_request set status = ${SUPERSEDE.status}, ${TOKEN_TAKEN}, updated_at = clock_timestamp()
    where organization_id = ${organizationId} and task_id = any(${taskIds}::uuid[]) and ${SUPERSEDE.permitted}`;
}

/** Those of tasks that have ended, with the kinds of the artifacts that they completed with. */
export function endedAmong(
  organizationId: string,
  taskIds: readonly string[],
): Statement<{ id: string; parentId: string | null; status: EndedTaskStatus; artifactKinds: string[] }> {
  return sql`
    select t.id, t.parent_id as "parentId", t.status, ${ARTIFACT_KINDS} as "artifactKinds"
    from task t
    where t.organization_id = ${organizationId} and t.id = any(${taskIds}::uuid[]) and ${HAS_ENDED}
    order by t.id`;
}

/**
 * The dependencies that can be reached from these tasks, across trees; each task is visited once. Leaves satisfied and
 * waived ones out, which never block again; a failed one may, once its prerequisite is retried.
 */
export function edgesBehind(organizationId: string, taskIds: readonly string[]): Statement<Edge> {
  const organization = sql.value(organizationId);
  return sql`
    with recursive reachable (id) as (
      select unnest(${taskIds}::uuid[])
      union
      select d.depends_on_task_id from reachable r join task_dependency d
        on d.organization_id = ${organization} and d.task_id = r.id and d.status in ('pending', 'failed'))
    select d.task_id as "taskId", d.depends_on_task_id as "dependsOnTaskId"
    from reachable r join task_dependency d
      on d.organization_id = ${organization} and d.task_id = r.id and d.status in ('pending', 'failed')`;
}
