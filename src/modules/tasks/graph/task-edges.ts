import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { settleDependents } from './dependents.ts';
import { findCycle } from './task-cycles.ts';
import {
  blockTasks,
  edgesBehind,
  endedAmong,
  insertDependencies,
  type PendingEdge,
  supersedeRequests,
} from './task-edges.queries.ts';
import { TaskErrors, TaskIssues } from '../task.errors.ts';
import type { LockedTasks } from './task-locks.ts';

/** A dependency that is to be created. */
export interface NewEdge extends PendingEdge {
  /** Where the body asks for it. */
  readonly path: string;
}

/** Inserts pending dependencies. The caller holds the graph lock and both tasks of each. */
export async function insertEdges(tx: Tx, edges: readonly NewEdge[]): Promise<void> {
  if (edges.length > 0) await tx.rows(insertDependencies(tx.organizationId, edges));
}

/**
 * Blocks tasks that are pending or blocked on dependencies that they have just got, and ends their open requests: a
 * worker that has claimed one is refused at the start. Two round trips.
 */
export async function blockOn(tx: Tx, edges: readonly NewEdge[]): Promise<void> {
  if (edges.length === 0) return;
  const taskIds = [...new Set(edges.map(({ taskId }) => taskId))];
  await tx.rows(blockTasks(tx.organizationId, edges));
  await tx.rows(supersedeRequests(tx.organizationId, taskIds));
}

/**
 * Settles new dependencies on tasks that have ended already. Answers the dependents that have nothing left to wait for;
 * `locked` holds dependents and prerequisites.
 */
export async function settleEnded(tx: Tx, edges: readonly NewEdge[], locked: LockedTasks): Promise<string[]> {
  const prerequisites = [...new Set(edges.map(({ dependsOnTaskId }) => dependsOnTaskId))];
  const ended = await tx.rows(endedAmong(tx.organizationId, prerequisites));
  return ended.length === 0 ? [] : settleDependents(tx, ended, locked);
}

/** Most tasks of a cycle that its issue names. */
const MAX_NAMED = 100;

/**
 * Refuses a cycle through dependencies that were just inserted, and names its tasks from the new dependency on. The graph
 * had none before, so each cycle leads through the prerequisite of a new dependency.
 */
export async function refuseCycles(
  tx: Tx,
  edges: readonly NewEdge[],
  nameOf = (taskId: string) => taskId,
): Promise<void> {
  if (edges.length === 0) return;
  const prerequisites = [...new Set(edges.map(({ dependsOnTaskId }) => dependsOnTaskId))];
  const cycle = findCycle(await tx.rows(edgesBehind(tx.organizationId, prerequisites)));
  if (!cycle) return;
  const edge = edges.find(({ taskId, dependsOnTaskId }) => isStep(cycle, taskId, dependsOnTaskId)) ?? edges[0]!;
  const first = Math.max(cycle.indexOf(edge.taskId), 0);
  const tasks = [...cycle.slice(first), ...cycle.slice(0, first)].slice(0, MAX_NAMED).map(nameOf);
  const message = `closes a cycle through ${tasks.join(', ')}`.slice(0, 500);
  throw new ApiError(TaskErrors.cycle, { issues: [issueAt(edge.path, TaskIssues.cycle, message, { tasks })] });
}

/** Whether a cycle goes from a task to its prerequisite. */
function isStep(cycle: readonly string[], taskId: string, dependsOnTaskId: string): boolean {
  const at = cycle.indexOf(taskId);
  return at >= 0 && cycle[(at + 1) % cycle.length] === dependsOnTaskId;
}
