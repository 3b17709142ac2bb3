import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { cutText } from '../../../kernel/validation/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import { settleDependents } from '../graph/dependents.ts';
import { RunRequestQueueService } from '../run-requests/run-request-queue.service.ts';
import { closeRequests, closeTask, flagUnsettled } from './task-ending.queries.ts';
import { OperatorQuestions } from './operator-questions.port.ts';
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

/** Ends tasks, with what follows from an end: dependents, open requests, the followers of other modules. */
@Injectable()
export class TaskEndingService {
  constructor(
    private readonly queue: RunRequestQueueService,
    private readonly followers: TaskEnded,
    private readonly questions: OperatorQuestions,
    private readonly activity: ActivityLogService,
  ) {}

  /**
   * Ends a task that the caller has locked by `lockForEnd`, with the tasks that wait for it. Leaves dependents beyond
   * the locked ones to the sweep. The caller has moved the task's own run and its request, where it ends through them.
   */
  async end(tx: Tx, locked: LockedTasks, task: LockedTask, end: TaskEnd, actor: Actor = BACKEND): Promise<void> {
    const { organizationId } = tx;
    const { id, parentId } = task;
    const code = end.status === 'completed' ? null : end.code;
    // Alone among the locked: no task waits for it, or one that came too late to be settled here.
    const alone = locked.size === 1;
    await tx.batch([
      closeTask(organizationId, id, end.status, resultOf(end)),
      closeRequests(organizationId, id, end.status),
      ...this.activity.entry(tx, {
        actor,
        verb: `task.${end.status}`,
        subject: { kind: 'task', id, label: `${task.identifier} ${task.title}` },
        ...(code === null ? {} : { details: { code } }),
        facts: end.status !== 'completed' && end.runId !== null ? { runId: end.runId } : {},
      }),
      ...(alone ? [flagUnsettled(organizationId, id)] : []),
    ]);
    if (!alone) {
      const artifactKinds = end.status === 'completed' ? end.artifactKinds : [];
      const prerequisite = { id, parentId, status: end.status, artifactKinds };
      const moved = await settleDependents(tx, [prerequisite], locked);
      await tx.rows(flagUnsettled(organizationId, id));
      await this.proceed(tx, locked, moved);
    }
    await this.followers.ended(tx, [{ id, status: end.status, code }]);
    if (end.status === 'failed' && concernsPeople(task, end.code)) await this.questions.tell(tx, failureOf(task, end));
  }

  /** Queues tasks that became `pending`; one whose run budget is used up fails instead. The caller has locked them. */
  async proceed(tx: Tx, locked: LockedTasks, taskIds: readonly string[]): Promise<void> {
    for (const id of await this.queue.queue(tx, taskIds))
      await this.end(tx, locked, locked.get(id)!, {
        status: 'failed',
        code: 'budget_exhausted',
        message: 'The task has used up its run budget.',
        runId: null,
      });
  }
}

/** Whether nobody but a person goes on from a failure: above a root stands no task that would plan anew. */
function concernsPeople({ parentId }: LockedTask, code: TaskEndCode): boolean {
  return code === 'budget_exhausted' || (parentId === null && code !== 'run_cancelled');
}

function failureOf({ id, identifier, title }: LockedTask, end: { readonly code: string; readonly message: string }) {
  return {
    taskId: id,
    title: cutText(`${identifier} failed: ${title}`, 200),
    body: cutText(`${end.message} (${end.code}) Retry the task to let it go on, or leave it as it is.`, 10_000),
    dedupeKey: failureKey(id),
  };
}

/** The key of what people are told of a failed task. */
export function failureKey(taskId: string): string {
  return `task_failed:${taskId}`;
}

/** What an end leaves as the result of its task. */
function resultOf(end: TaskEnd): object {
  return end.status === 'completed'
    ? end.result
    : { kind: end.status, code: end.code, message: end.message, runId: end.runId };
}
