import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import {
  affectedByEnd,
  dependentsOf,
  type DependentTask,
  type LockedTask,
  lockedTasks,
  type LockedTasks,
  taskLocks,
} from '../../tasks/index.ts';
import { RunErrors } from '../run.errors.ts';
import {
  type AttemptRequest,
  type AttemptRun,
  attemptRun,
  isTaskOf,
  lockRequest,
  lockRunRow,
} from './attempt.queries.ts';

/** A run, its request and its task, all locked, with the tasks that wait for it. */
export interface Attempt {
  readonly run: AttemptRun;
  readonly request: AttemptRequest;
  readonly task: LockedTask;
  readonly locked: LockedTasks;
}

/** A run, read without a lock, and the tasks that waited for its task then. */
export interface UnlockedAttempt {
  readonly run: AttemptRun;
  readonly waiting: readonly DependentTask[];
}

/** Reads a run, and what its end would move, without a lock; one round trip. */
export async function readAttempt(tx: Tx, runId: string): Promise<UnlockedAttempt | undefined> {
  const { organizationId } = tx;
  const [[run], waiting] = await tx.batch([
    attemptRun(organizationId, runId),
    dependentsOf(organizationId, isTaskOf(organizationId, runId)),
  ]);
  return run && { run, waiting };
}

/** Locks from the top: task with dependents, request, run; each is read after its lock. One round trip. */
export async function lockAttempt(
  tx: Tx,
  { run: { id, taskId, runRequestId }, waiting }: UnlockedAttempt,
): Promise<Attempt> {
  const { organizationId } = tx;
  const [, tasks, [request], , [run]] = await tx.batch([
    ...taskLocks(organizationId, affectedByEnd([taskId], waiting)),
    lockRequest(organizationId, runRequestId),
    lockRunRow(organizationId, id),
    attemptRun(organizationId, id),
  ]);
  const locked = lockedTasks(tasks);
  const task = locked.get(taskId);
  // The organization was deleted meanwhile, and its rows are purged.
  if (!run || !request || !task) throw new ApiError(RunErrors.leaseExpired);
  return { run, request, task, locked };
}

/** The agent whose run it is. */
export function actorOf({ agentProfileId, profileKey }: AttemptRun) {
  return { kind: 'agent', id: agentProfileId, name: profileKey } as const;
}
