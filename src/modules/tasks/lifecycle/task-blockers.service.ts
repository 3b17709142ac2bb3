import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import type { LockedTasks } from '../graph/task-locks.ts';
import type { BlockerKey } from '../task.state.ts';
import { addBlockers, removeBlocker } from './task-blockers.queries.ts';
import { TaskEndingService } from './task-ending.service.ts';

/** Lets tasks wait for what other modules keep: the answer of a person, the end of an action. */
@Injectable()
export class TaskBlockersService {
  constructor(private readonly ending: TaskEndingService) {}

  /** Blocks a locked task that has not ended; its run and request, where it had them, are closed already. */
  async add(tx: Tx, taskId: string, ...blockers: readonly BlockerKey[]): Promise<void> {
    if (blockers.length > 0) await tx.rows(addBlockers(tx.organizationId, taskId, blockers, false));
  }

  /** The same where the run's credit was given back. */
  async addRefunded(tx: Tx, taskId: string, blockers: readonly BlockerKey[]): Promise<void> {
    await tx.rows(addBlockers(tx.organizationId, taskId, blockers, true));
  }

  /**
   * Takes a blocker from a task that the caller has locked by `lockForEnd`, since the task may end: with its last one it
   * gets a new request, or fails without run budget. Whether it was the last is told by the update of the task's own row,
   * so of two that go at once the second queues. Leaves a task without this blocker as it is.
   */
  async remove(
    tx: Tx,
    locked: LockedTasks,
    taskId: string,
    blocker: BlockerKey,
    { freshAttempts = false }: { readonly freshAttempts?: boolean } = {},
  ): Promise<void> {
    const [task] = await tx.rows(removeBlocker(tx.organizationId, taskId, blocker, freshAttempts));
    if (task?.status === 'pending') await this.ending.proceed(tx, locked, [taskId]);
  }
}
