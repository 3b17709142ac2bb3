import type { Statement, Tx } from '../../../kernel/database/index.ts';
import {
  heldTasks,
  holdTasks,
  type LockedTask,
  takeDedupeKeyLock,
  takeGraphLock,
  dependentsOfTasks,
  type DependentTask,
} from './task-locks.queries.ts';

/** Tasks that this transaction holds locked, by id. */
export type LockedTasks = ReadonlyMap<string, LockedTask>;

/**
 * Locks the graph of an organization. Call it before tasks are locked, where edges are added: two plans in two trees
 * that each checked under their own root's lock would together close a cycle.
 */
export async function lockGraph(tx: Tx): Promise<void> {
  await tx.rows(takeGraphLock(tx.organizationId));
}

/** Lets creations and retries of one key take turns, so that the second sees what the first one made. */
export async function lockDedupeKey(tx: Tx, dedupeKey: string): Promise<void> {
  await tx.rows(takeDedupeKeyLock(tx.organizationId, dedupeKey));
}

/**
 * Locks tasks in the order of their ids, then reads them, so that the read sees what the lock waited for. Locks
 * `unread` among them without reading these. One round trip.
 */
export async function lockTasks(tx: Tx, ids: readonly string[], unread: readonly string[] = []): Promise<LockedTasks> {
  const [, rows] = await tx.batch([
    holdTasks(tx.organizationId, [...ids, ...unread]),
    heldTasks(tx.organizationId, ids),
  ]);
  return lockedTasks(rows);
}

/** The lock and the read behind it, for a batch that locks more; `lockedTasks` takes the rows of the second. */
export function taskLocks(organizationId: string, ids: readonly string[]): [Statement, Statement<LockedTask>] {
  return [holdTasks(organizationId, ids), heldTasks(organizationId, ids)];
}

export function lockedTasks(rows: readonly LockedTask[]): LockedTasks {
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Locks what the end of these tasks may move: the tasks, those that wait for them, and the parents of those, which may
 * have to replan. Two round trips.
 */
export async function lockForEnd(tx: Tx, taskIds: readonly string[]): Promise<LockedTasks> {
  const waiting = await tx.rows(dependentsOfTasks(tx.organizationId, taskIds));
  return lockTasks(tx, affectedByEnd(taskIds, waiting));
}

/** The ids of all that ends of tasks may move. */
export function affectedByEnd(taskIds: readonly string[], waiting: readonly DependentTask[]): string[] {
  return [...new Set([...taskIds, ...waiting.flatMap(({ id, parentId }) => (parentId ? [id, parentId] : [id]))])];
}
