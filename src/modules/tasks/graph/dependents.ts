import type { Tx } from '../../../kernel/database/index.ts';
import {
  failChildEdges,
  type SettledEdge,
  settleEdges,
  unblockTasks,
  unsettledChildren,
} from './dependents.queries.ts';
import { stalledChildren } from './stalled-children.ts';
import type { LockedTasks } from './task-locks.ts';
import type { DependencyFailureCode } from './task-dependency.state.ts';
import type { EndedTaskStatus } from '../task.state.ts';

export interface EndedPrerequisite {
  readonly id: string;
  readonly parentId: string | null;
  readonly status: EndedTaskStatus;
  /** Kinds of the artifacts that it completed with. */
  readonly artifactKinds: readonly string[];
}

const FAILURES: Readonly<Record<DependencyFailureCode, string>> = {
  prerequisite_failed: 'The prerequisite failed.',
  prerequisite_cancelled: 'The prerequisite was cancelled.',
  condition_unmet: 'The prerequisite completed without the artifact that the condition names.',
  prerequisite_blocked: 'The prerequisite waits for a failed task: only a new plan can go on.',
};

/**
 * Settles the pending edges of tasks that have ended, for those dependents that the caller has locked. Answers which of
 * them thereby lost their last blocker and are `pending` now. Leaves others to the sweep.
 */
export async function settleDependents(
  tx: Tx,
  prerequisites: readonly EndedPrerequisite[],
  locked: LockedTasks,
): Promise<string[]> {
  const ends = prerequisites.map(({ id, status, artifactKinds }) => ({
    id,
    status,
    artifactKinds,
    failure: failureOf(FAILURE_BY_END[status]),
  }));
  const edges = await tx.rows(settleEdges(tx.organizationId, ends, [...locked.keys()]));
  return releaseDependents(tx, {
    edges,
    parentIds: prerequisites.map(({ parentId }) => parentId),
    locked,
  });
}

/**
 * Releases what waited for edges that were just settled. `parentIds` are those of the prerequisites. Answers the tasks
 * that are `pending` now.
 */
export async function releaseDependents(
  tx: Tx,
  {
    edges,
    parentIds,
    locked,
  }: { edges: readonly SettledEdge[]; parentIds: readonly (string | null)[]; locked: LockedTasks },
): Promise<string[]> {
  const moved = await unblock(tx, edges);
  const parents = new Set([
    ...parentIds,
    ...edges.filter(({ blocks }) => blocks).map(({ taskId }) => locked.get(taskId)?.parentId),
  ]);
  const lockedParents = [...parents].filter((id): id is string => id != null && locked.has(id));
  return [...moved, ...(await releaseStalledParents(tx, lockedParents))];
}

const FAILURE_BY_END: Readonly<Record<EndedTaskStatus, DependencyFailureCode>> = {
  completed: 'condition_unmet',
  failed: 'prerequisite_failed',
  cancelled: 'prerequisite_cancelled',
};

function failureOf(code: DependencyFailureCode) {
  return { code, message: FAILURES[code] };
}

/** The failure that an edge keeps, as JSON. */
export function edgeFailure(code: DependencyFailureCode): string {
  return JSON.stringify(failureOf(code));
}

/**
 * Takes settled edges from what their tasks wait for. Answers the tasks whose last blocker went. Reads that from the
 * UPDATE of the task's own row, never from a query over edges: two prerequisites that end at once would each still see
 * the other's.
 */
export async function unblock(tx: Tx, edges: readonly SettledEdge[]): Promise<string[]> {
  if (edges.length === 0) return [];
  const rows = await tx.rows(unblockTasks(tx.organizationId, edges));
  return rows.filter(({ status }) => status === 'pending').map(({ id }) => id);
}

/**
 * A parent waits for its children without requiring them. When those that are left wait for a failed one, nothing would
 * ever move: their edges fail, and the parent gets a run in which it can plan anew.
 */
async function releaseStalledParents(tx: Tx, parentIds: readonly string[]): Promise<string[]> {
  if (parentIds.length === 0) return [];
  const rows = await tx.rows(unsettledChildren(tx.organizationId, parentIds));
  const released: string[] = [];
  for (const [parentId, children] of Map.groupBy(rows, (row) => row.parentId)) {
    const stalled = stalledChildren(children);
    if (stalled.size < children.length) continue;
    const failure = edgeFailure('prerequisite_blocked');
    const failed = await tx.rows(failChildEdges(tx.organizationId, parentId, [...stalled], failure));
    released.push(...(await unblock(tx, failed)));
  }
  return released;
}
