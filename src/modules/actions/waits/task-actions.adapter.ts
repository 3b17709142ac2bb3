import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type EndedTask, TaskEnded, type TaskFollower } from '../../tasks/index.ts';
import { ACTIONS_BACKEND, ActionEndingService } from '../action-ending.service.ts';
import { NOTHING_UNRESOLVED, unsentOfTasks } from './action-waits.queries.ts';

const ENDED = { code: 'task_ended', message: 'The task ended before the action was sent.' };

/** Cancels what a task leaves unsent when it ends; what was sent stays, and its outcome is recorded. */
@Injectable()
export class TaskActions implements TaskFollower {
  /** Completions too, so that one with unresolved actions is no plain one: its run is told to wait for them. */
  readonly concernedBy = ['completed', 'failed', 'cancelled'] as const;
  readonly absent = NOTHING_UNRESOLVED;

  constructor(
    private readonly endings: ActionEndingService,
    tasks: TaskEnded,
  ) {
    tasks.register(this);
  }

  async tasksEnded(tx: Tx, tasks: readonly EndedTask[]): Promise<void> {
    const ids = tasks.filter(({ status }) => status !== 'completed').map(({ id }) => id);
    if (ids.length === 0) return;
    const actions = await tx.rows(unsentOfTasks(tx.organizationId, ids));
    await this.endings.endAll(tx, actions, { move: 'cancel', error: ENDED, actor: ACTIONS_BACKEND });
  }
}
