import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { type EndedTask, ENDED_TASK_STATUSES, TaskEnded, type TaskFollower } from '../tasks/index.ts';
import { BACKEND, InboxItemsService } from './inbox-items.service.ts';
import { isQuestionOf, NO_OPEN_QUESTION } from './inbox-moves.queries.ts';

/** Withdraws the open questions of tasks that end. What people were told, and what profiles learn, outlives them. */
@Injectable()
export class EndedTasks implements TaskFollower {
  readonly concernedBy = ENDED_TASK_STATUSES;
  readonly absent = NO_OPEN_QUESTION;

  constructor(
    tasks: TaskEnded,
    private readonly items: InboxItemsService,
  ) {
    tasks.register(this);
  }

  async tasksEnded(tx: Tx, tasks: readonly EndedTask[]): Promise<void> {
    const which = isQuestionOf(tasks.map(({ id }) => id));
    await this.items.close(tx, which, { move: 'withdraw', by: null, reason: 'task_ended' }, BACKEND);
  }
}
