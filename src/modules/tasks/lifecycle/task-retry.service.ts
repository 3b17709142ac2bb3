import { Injectable } from '@nestjs/common';
import { ISO_NOW, statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import { TaskEndingService } from './task-ending.service.ts';
import { TaskErrors, TaskIssues } from '../task.errors.ts';
import { failedDependents, flagFailedDependents, reopenDependents } from './task-retry.queries.ts';
import { lockDedupeKey, lockTasks } from '../graph/task-locks.ts';
import { liveTaskOf, type LockedTask } from '../graph/task-locks.queries.ts';
import { hasEnded, taskMoves } from '../task.state.ts';

/** What is read without locks: it never changes, or is read again. */
interface Known {
  readonly dedupeKey: string;
  readonly parentId: string | null;
}

/** An owner lets a failed task try again. */
@Injectable()
export class TaskRetryService {
  constructor(
    private readonly ending: TaskEndingService,
    private readonly activity: ActivityLogService,
  ) {}

  /** 409 unless it has failed, its parent goes on, its key is free and there is budget, perhaps the one that is given. */
  async retry(
    tx: Tx,
    organizationId: string,
    taskId: string,
    { actor, maxAgentRuns }: { readonly actor: Actor; readonly maxAgentRuns?: number | undefined },
  ): Promise<void> {
    const known = await this.known(tx, organizationId, taskId);
    await lockDedupeKey(tx, organizationId, known.dedupeKey);
    const dependents = (await tx.rows(failedDependents(organizationId, taskId))).map(({ id }) => id);
    const locked = await lockTasks(tx, organizationId, [
      taskId,
      ...(known.parentId === null ? [] : [known.parentId]),
      ...dependents,
    ]);
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
    await tx.rows(reopen(organizationId, task, budget));
    await tx.batch([
      reopenDependents(organizationId, taskId, dependents),
      flagFailedDependents(organizationId, taskId),
    ]);
    await this.ending.proceed(tx, organizationId, locked, [taskId]);
    await this.activity.record(tx, {
      organizationId,
      actor,
      verb: 'task.retried',
      subject: { kind: 'task', id: taskId, label: `${task.identifier} ${task.title}` },
    });
  }

  private async known(tx: Tx, organizationId: string, taskId: string): Promise<Known> {
    const [row] = await tx.rows(
      statement<Known>(
        `select dedupe_key as "dedupeKey", parent_id as "parentId" from task where organization_id = $1 and id = $2`,
        organizationId,
        taskId,
      ),
    );
    if (!row) throw new ApiError(TaskErrors.notFound);
    return row;
  }
}

/**
 * Runnable again, or blocked by what its own dependencies still say. Failed attempts of the phase count anew, runs do
 * not. What was to be verified went with the failure, so the work itself is done again.
 */
function reopen(organizationId: string, { id, phase }: LockedTask, maxAgentRuns: number) {
  return statement(
    `with waiting as (
       select coalesce(jsonb_agg(jsonb_build_object(
         'kind', case d.status when 'pending' then 'dependency' else 'dependency_failed' end,
         'dependsOnTaskId', d.depends_on_task_id, 'since', ${ISO_NOW})), '[]') as blockers
       from task_dependency d where d.organization_id = $1 and d.task_id = $2
         and (d.status = 'pending' or d.status = 'failed' and d.required))
     update task t set blockers = w.blockers,
       status = case when w.blockers = '[]' then ${taskMoves.moved('retry', 't.status')} else ${taskMoves.moved('retryBlocked', 't.status')} end,
       phase = $3, result = null, completed_at = null, max_agent_runs = $4, repaired_at = null, refund_streak = 0,
       plan_failures = case when $3 = 'plan' then 0 else t.plan_failures end,
       execute_failures = case when $3 = 'execute' then 0 else t.execute_failures end,
       dependents_unsettled = false, version = t.version + 1, updated_at = clock_timestamp()
     from waiting w where t.organization_id = $1 and t.id = $2`,
    organizationId,
    id,
    phase === 'verify' ? 'execute' : phase,
    maxAgentRuns,
  );
}
