import { Injectable } from '@nestjs/common';
import { type Statement, statement, type Tx } from '../../../kernel/database/index.ts';
import { activityEntry, type Actor } from '../../organizations/index.ts';
import { settleDependents } from '../graph/dependents.ts';
import { runRequestMoves } from '../run-requests/run-request.state.ts';
import { RunRequestQueueService } from '../run-requests/run-request-queue.service.ts';
import { TaskEnded } from './task-ended.port.ts';
import type { LockedTasks } from '../graph/task-locks.ts';
import type { LockedTask } from '../graph/task-locks.queries.ts';
import type { TaskEndCode } from '../task.state.ts';

/** How a task ends. */
export type TaskEnd =
  | { readonly status: 'completed'; readonly result: object; readonly artifactKinds: readonly string[] }
  | {
      readonly status: 'failed' | 'cancelled';
      readonly code: TaskEndCode;
      readonly message: string;
      readonly runId: string | null;
    };

export const BACKEND: Actor = { kind: 'system', name: 'work engine' };

/** The ends of tasks, and what each sets going: dependents, open requests, whoever follows. */
@Injectable()
export class TaskEndingService {
  constructor(
    private readonly queue: RunRequestQueueService,
    private readonly followers: TaskEnded,
  ) {}

  /**
   * Ends a task that the caller has locked, with those that wait for it, by `lockForEnd`. Dependents beyond the locked
   * ones are left to the sweep. The caller has moved the task's own run and its request, where it ends through them.
   */
  async end(
    tx: Tx,
    organizationId: string,
    locked: LockedTasks,
    task: LockedTask,
    end: TaskEnd,
    actor: Actor = BACKEND,
  ): Promise<void> {
    const { id, parentId } = task;
    const code = end.status === 'completed' ? null : end.code;
    // Alone among the locked: nobody waits for it, or came too late to be settled here.
    const alone = locked.size === 1;
    await tx.batch([
      closeTask(organizationId, id, end),
      closeRequests(organizationId, id, end.status),
      activityEntry({
        organizationId,
        actor,
        verb: `task.${end.status}`,
        subject: { kind: 'task', id, label: `${task.identifier} ${task.title}` },
        ...(code === null ? {} : { details: { code } }),
      }),
      ...(alone ? [flagUnsettled(organizationId, id)] : []),
    ]);
    if (!alone) {
      const artifactKinds = end.status === 'completed' ? end.artifactKinds : [];
      const prerequisite = { id, parentId, status: end.status, artifactKinds };
      const moved = await settleDependents(tx, organizationId, [prerequisite], locked);
      await tx.rows(flagUnsettled(organizationId, id));
      await this.proceed(tx, organizationId, locked, moved);
    }
    await this.followers.ended(tx, organizationId, [{ id, status: end.status, code }]);
  }

  /** Queues tasks that became `pending`; one whose run budget is used up fails instead. The caller has locked them. */
  async proceed(tx: Tx, organizationId: string, locked: LockedTasks, taskIds: readonly string[]): Promise<void> {
    for (const id of await this.queue.queue(tx, organizationId, taskIds))
      await this.end(tx, organizationId, locked, locked.get(id)!, {
        status: 'failed',
        code: 'budget_exhausted',
        message: 'The task has used up its run budget.',
        runId: null,
      });
  }
}

function closeTask(organizationId: string, id: string, end: TaskEnd): Statement {
  const result =
    end.status === 'completed'
      ? end.result
      : { kind: end.status, code: end.code, message: end.message, runId: end.runId };
  return statement(
    `update task set status = $3, result = $4::jsonb, unverified_result = null, blockers = '[]', version = version + 1,
       completed_at = clock_timestamp(), updated_at = clock_timestamp()
     where organization_id = $1 and id = $2`,
    organizationId,
    id,
    end.status,
    JSON.stringify(result),
  );
}

/** A live run is asked to stop: its request stays `running` until the run ends. */
function closeRequests(organizationId: string, taskId: string, status: TaskEnd['status']): Statement {
  const move = status === 'failed' ? 'failWithTask' : 'endWithTask';
  return statement(
    `update run_request set
       status = ${runRequestMoves.moved(move, 'status')},
       cancel_requested_at = case when status = 'running' then coalesce(cancel_requested_at, clock_timestamp()) else cancel_requested_at end,
       claim_token_hash = null, updated_at = clock_timestamp()
     where organization_id = $1 and task_id = $2 and ${runRequestMoves.permits(move, 'status')}`,
    organizationId,
    taskId,
  );
}

/** Leaves pending dependents of a task that has ended to the sweep. */
function flagUnsettled(organizationId: string, id: string): Statement {
  return statement(
    `update task set dependents_unsettled = true
     where organization_id = $1 and id = $2 and exists (
       select from task_dependency d where d.organization_id = $1 and d.depends_on_task_id = $2 and d.status = 'pending')`,
    organizationId,
    id,
  );
}
