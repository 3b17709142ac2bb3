import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type EndedTask, TaskEnded, type TaskFollower } from '../../tasks/index.ts';
import { requestCancelOfTasks } from './run-cancellation.queries.ts';

/** Asks the live runs of tasks that ended without them to stop; their workers learn of it from the next heartbeat. */
@Injectable()
export class TaskStop implements TaskFollower {
  /** A task completes through its own run alone, which has ended then. */
  readonly concernedBy = ['failed', 'cancelled'] as const;

  constructor(tasks: TaskEnded) {
    tasks.register(this);
  }

  async tasksEnded(tx: Tx, tasks: readonly EndedTask[]): Promise<void> {
    await tx.rows(
      requestCancelOfTasks(
        tx.organizationId,
        tasks.map(({ id }) => id),
      ),
    );
  }
}
