import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import { OperatorQuestions } from './operator-questions.port.ts';
import { failureKey, TaskEndingService } from './task-ending.service.ts';
import { TaskErrors, TaskIssues } from '../task.errors.ts';
import {
  failedDependents,
  flagFailedDependents,
  reopenDependents,
  reopenTask,
  type RetryFacts,
  retryFacts,
} from './task-retry.queries.ts';
import { lockDedupeKey, lockTasks } from '../graph/task-locks.ts';
import { liveTaskOf } from '../graph/task-locks.queries.ts';
import { hasEnded, taskMoves } from '../task.state.ts';

/** Retries failed tasks for owners. */
@Injectable()
export class TaskRetryService {
  constructor(
    private readonly ending: TaskEndingService,
    private readonly activity: ActivityLogService,
    private readonly questions: OperatorQuestions,
  ) {}

  /** 409 unless it has failed, its parent is open, its key is free and run budget is left, perhaps by the one given. */
  async retry(
    tx: Tx,
    taskId: string,
    { actor, maxAgentRuns }: { readonly actor: Actor; readonly maxAgentRuns?: number | undefined },
  ): Promise<void> {
    const { organizationId } = tx;
    const known = await this.known(tx, taskId);
    await lockDedupeKey(tx, known.dedupeKey);
    const dependents = (await tx.rows(failedDependents(organizationId, taskId))).map(({ id }) => id);
    const locked = await lockTasks(tx, [taskId, ...(known.parentId === null ? [] : [known.parentId]), ...dependents]);
    const task = locked.get(taskId)!;
    if (taskMoves.after('retry', task.status) === undefined) throw new ApiError(TaskErrors.notFailed);
    if (known.parentId !== null && hasEnded(locked.get(known.parentId)!.status))
      throw new ApiError(TaskErrors.parentEnded);
    const [other] = await tx.rows(liveTaskOf(organizationId, known.dedupeKey));
    if (other) throw new ApiError(TaskErrors.dedupeKeyTaken);
    const budget = maxAgentRuns ?? task.maxAgentRuns;
    if (task.consumedAgentRunCount >= budget)
      throw new ApiError(TaskErrors.budgetUsedUp, {
        issues: [issueAt('maxAgentRuns', TaskIssues.budgetExhausted, `must be above ${task.consumedAgentRunCount}`)],
      });
    await tx.rows(reopenTask(organizationId, task, budget));
    await tx.batch([
      reopenDependents(organizationId, taskId, dependents),
      flagFailedDependents(organizationId, taskId),
    ]);
    await this.questions.withdraw(tx, failureKey(taskId));
    await this.ending.proceed(tx, locked, [taskId]);
    await this.activity.record(tx, {
      actor,
      verb: 'task.retried',
      subject: { kind: 'task', id: taskId, label: `${task.identifier} ${task.title}` },
    });
  }

  private async known(tx: Tx, taskId: string): Promise<RetryFacts> {
    const [row] = await tx.rows(retryFacts(tx.organizationId, taskId));
    if (!row) throw new ApiError(TaskErrors.notFound);
    return row;
  }
}
