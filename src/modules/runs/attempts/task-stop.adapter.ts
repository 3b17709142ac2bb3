import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { type EndedTask, TaskEnded, type TaskFollower } from '../../tasks/index.ts';
import { isLiveRun } from '../run.state.ts';

/** Asks the live runs of tasks that ended without them to stop: the next heartbeat says so. */
@Injectable()
export class TaskStop implements TaskFollower {
  /** A task completes through its own run alone, which has ended then. */
  readonly concernedBy = ['failed', 'cancelled'] as const;

  constructor(tasks: TaskEnded) {
    tasks.register(this);
  }

  async tasksEnded(tx: Tx, organizationId: string, tasks: readonly EndedTask[]): Promise<void> {
    await tx.rows(
      statement(
        // Live runs are few and found along their own index, however many tasks have ended.
        `with held as materialized (
           select r.id, coalesce(r.cancel_requested_at, clock_timestamp()) as asked_at
           from run r join unnest($2::uuid[]) ended(id) on ended.id = r.task_id
           where r.organization_id = $1 and ${isLiveRun('r.status')}
           order by r.id for no key update of r),
         moved as (
           update run r set cancel_requested_at = h.asked_at from held h where r.organization_id = $1 and r.id = h.id)
         select count(*) from held`,
        organizationId,
        tasks.map(({ id }) => id),
      ),
    );
  }
}
