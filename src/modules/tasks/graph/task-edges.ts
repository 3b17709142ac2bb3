import { ISO_NOW, statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { runRequestMoves } from '../run-requests/run-request.state.ts';
import { ARTIFACT_KINDS, settleDependents } from './dependents.ts';
import { edgesBehind, findCycle } from './task-cycles.ts';
import { TaskErrors, TaskIssues } from '../task.errors.ts';
import type { LockedTasks } from './task-locks.ts';
import { type EndedTaskStatus, isEndedTask, taskMoves } from '../task.state.ts';
import type { DependencyCondition } from './task-dependency.state.ts';

/** A dependency that is about to be. */
export interface NewEdge {
  readonly taskId: string;
  readonly dependsOnTaskId: string;
  readonly required: boolean;
  readonly condition: DependencyCondition;
  /** Where the body asks for it. */
  readonly path: string;
}

/** Inserts pending dependencies. The caller holds the graph lock and both tasks of each. */
export async function insertEdges(tx: Tx, organizationId: string, edges: readonly NewEdge[]): Promise<void> {
  if (edges.length === 0) return;
  await tx.rows(
    statement(
      `insert into task_dependency (organization_id, task_id, depends_on_task_id, required, condition)
       select $1, e."taskId", e."dependsOnTaskId", e.required, e.condition
       from jsonb_to_recordset($2::jsonb) e("taskId" uuid, "dependsOnTaskId" uuid, required boolean, condition jsonb)`,
      organizationId,
      JSON.stringify(
        edges.map(({ taskId, dependsOnTaskId, required, condition }) => ({
          taskId,
          dependsOnTaskId,
          required,
          condition,
        })),
      ),
    ),
  );
}

/**
 * Blocks tasks that are pending or blocked on dependencies that they have just got. An open request moves on: whoever
 * claimed it is refused at the start.
 */
export async function blockOn(tx: Tx, organizationId: string, edges: readonly NewEdge[]): Promise<void> {
  if (edges.length === 0) return;
  const taskIds = [...new Set(edges.map(({ taskId }) => taskId))];
  await tx.rows(
    statement(
      `update task t set status = ${taskMoves.moved('block', 't.status')}, blockers = t.blockers || added.blockers,
         version = t.version + 1, updated_at = clock_timestamp()
       from (select e.task_id, jsonb_agg(jsonb_build_object('kind', 'dependency', 'dependsOnTaskId', e.depends_on, 'since', ${ISO_NOW})) as blockers
             from unnest($2::uuid[], $3::uuid[]) e(task_id, depends_on) group by e.task_id) added
       where t.organization_id = $1 and t.id = added.task_id and ${taskMoves.permits('block', 't.status')}`,
      organizationId,
      edges.map(({ taskId }) => taskId),
      edges.map(({ dependsOnTaskId }) => dependsOnTaskId),
    ),
  );
  await tx.rows(
    statement(
      `update run_request set status = ${runRequestMoves.moved('supersede', 'status')}, claim_token_hash = null, updated_at = clock_timestamp()
       where organization_id = $1 and task_id = any($2::uuid[]) and ${runRequestMoves.permits('supersede', 'status')}`,
      organizationId,
      taskIds,
    ),
  );
}

/**
 * Settles new dependencies on tasks that have ended already. Answers the dependents that have thereby nothing left to
 * wait for; `locked` holds dependents and prerequisites.
 */
export async function settleEnded(
  tx: Tx,
  organizationId: string,
  edges: readonly NewEdge[],
  locked: LockedTasks,
): Promise<string[]> {
  const ended = await tx.rows(
    statement<{ id: string; parentId: string | null; status: EndedTaskStatus; artifactKinds: string[] }>(
      `select t.id, t.parent_id as "parentId", t.status,
         ${ARTIFACT_KINDS} as "artifactKinds"
       from task t where t.organization_id = $1 and t.id = any($2::uuid[]) and ${isEndedTask('t.status')}
       order by t.id`,
      organizationId,
      [...new Set(edges.map(({ dependsOnTaskId }) => dependsOnTaskId))],
    ),
  );
  return ended.length === 0 ? [] : settleDependents(tx, organizationId, ended, locked);
}

/**
 * Refuses a cycle through dependencies that were just inserted. What was there before has none, so each new one leads
 * through the prerequisite of a new dependency.
 */
export async function refuseCycles(tx: Tx, organizationId: string, edges: readonly NewEdge[]): Promise<void> {
  if (edges.length === 0) return;
  const prerequisites = [...new Set(edges.map(({ dependsOnTaskId }) => dependsOnTaskId))];
  const cycle = findCycle(await tx.rows(edgesBehind(organizationId, prerequisites)));
  if (!cycle) return;
  const { path } = edges.find(({ taskId, dependsOnTaskId }) => isStep(cycle, taskId, dependsOnTaskId)) ?? edges[0]!;
  throw new ApiError(TaskErrors.cycle, {
    issues: [issueAt(path, TaskIssues.cycle, `closes a cycle through ${cycle.join(', ')}`.slice(0, 500))],
  });
}

/** Whether a cycle goes from a task to its prerequisite. */
function isStep(cycle: readonly string[], taskId: string, dependsOnTaskId: string): boolean {
  const at = cycle.indexOf(taskId);
  return at >= 0 && cycle[(at + 1) % cycle.length] === dependsOnTaskId;
}
