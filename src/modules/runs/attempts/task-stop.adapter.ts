import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { type EndedTask, TaskEnded, type TaskFollower } from '../../tasks/index.ts';
import { RunSignalsService } from '../run-signals.service.ts';
import { requestCancelOfTasks } from './run-cancellation.queries.ts';

/** Asks the live runs of tasks that ended without them to stop; their workers learn of it from the heartbeat that waits, or the next. */
@Injectable()
export class TaskStop implements TaskFollower {
  /** A task completes through its own run alone, which has ended then. */
  readonly concernedBy = ['failed', 'cancelled'] as const;

  constructor(
    tasks: TaskEnded,
    private readonly signals: RunSignalsService,
  ) {
    tasks.register(this);
  }

  async tasksEnded(tx: Tx, tasks: readonly EndedTask[]): Promise<void> {
    const { organizationId } = tx;
    const taskIds = tasks.map(({ id }) => id);
    const runs = await tx.rows(requestCancelOfTasks(organizationId, taskIds));
    const runIds = runs.map(({ id }) => id);
    if (runIds.length > 0) tx.afterCommit(() => this.signals.news(organizationId, runIds));
  }
}
