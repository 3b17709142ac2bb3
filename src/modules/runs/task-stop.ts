import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../kernel/database/index.ts';
import { type EndedTask, TaskEnded, type TaskFollower } from '../tasks/index.ts';

/** Asks the live run of a task that ended without it to stop: the next heartbeat says so. */
@Injectable()
export class TaskStop implements TaskFollower {
  /** A task completes through its own run alone, which has ended then. */
  readonly concernedBy = ['failed', 'cancelled'] as const;

  constructor(tasks: TaskEnded) {
    tasks.register(this);
  }

  async taskEnded(tx: Tx, organizationId: string, { id }: EndedTask): Promise<void> {
    await tx.rows(
      statement(
        `update run set cancel_requested_at = coalesce(cancel_requested_at, clock_timestamp())
         where organization_id = $1 and task_id = $2 and status in ('starting', 'running')`,
        organizationId,
        id,
      ),
    );
  }
}
