import { Injectable } from '@nestjs/common';
import { ISO_NOW, statement, type Tx } from '../../kernel/database/index.ts';
import { ActivityLog, type Actor } from '../organizations/index.ts';
import { OperatorQuestions, RunRequestQueue, type TaskEndCode, TaskEnding, WorkSignals } from '../tasks/index.ts';
import type { Attempt } from './attempt.ts';
import { afterFailedAttempt, type Consequence } from './attempt-policy.ts';
import { type AttemptError, backoffSeconds } from './run-error.ts';
import type { RunUsage } from './run.entity.ts';
import type { RunStatus } from './run.state.ts';

/** What the final call of a run leaves on it, beside its status. */
export interface FinalReport {
  readonly output?: object | undefined;
  readonly error?: AttemptError | undefined;
  readonly usage?: RunUsage | undefined;
  readonly receipts?: readonly object[] | undefined;
  readonly harness?: string | undefined;
  readonly workspaceUri?: string | undefined;
  readonly logState?: string | undefined;
}

const MESSAGES: Readonly<Partial<Record<TaskEndCode, string>>> = {
  attempts_exhausted: 'The attempts of this phase are used up.',
  budget_exhausted: 'The task has used up its run budget.',
};

/** Ends runs, and what their end means for request and task, in the caller's transaction that has locked the attempt. */
@Injectable()
export class AttemptEnding {
  constructor(
    private readonly tasks: TaskEnding,
    private readonly queue: RunRequestQueue,
    private readonly questions: OperatorQuestions,
    private readonly signals: WorkSignals,
    private readonly activity: ActivityLog,
  ) {}

  /** Closes the run itself. Its capacity is free after the commit, which wakes whoever waits for work. */
  async close(
    tx: Tx,
    organizationId: string,
    { run, task }: Attempt,
    status: Exclude<RunStatus, 'starting' | 'running'>,
    report: FinalReport,
    actor: Actor,
  ): Promise<void> {
    await tx.rows(
      statement(
        `update run set status = $3, finished_at = clock_timestamp(), updated_at = clock_timestamp(),
           output = $4::jsonb, error = ${errorColumn('$5')}, usage = coalesce($6::jsonb, usage), receipts = coalesce($7::jsonb, receipts),
           harness = coalesce($8, harness), workspace_uri = coalesce($9, workspace_uri), log_state = coalesce($10, log_state)
         where organization_id = $1 and id = $2`,
        organizationId,
        run.id,
        status,
        json(report.output),
        json(report.error),
        json(report.usage),
        json(report.receipts),
        report.harness ?? null,
        report.workspaceUri ?? null,
        report.logState ?? null,
      ),
    );
    await this.activity.record(tx, {
      organizationId,
      actor,
      verb: `run.${status}`,
      subject: { kind: 'run', id: run.id, label: `${task.identifier} ${task.title}` },
      details: { taskId: task.id, ...(report.error ? { code: report.error.code } : {}) },
    });
    tx.afterCommit(() => this.signals.ready(organizationId, 1));
  }

  /** What a failed or expired attempt means: request and task are tried again, or end. */
  async afterFailure(
    tx: Tx,
    organizationId: string,
    attempt: Attempt,
    error: AttemptError,
    { expired = false, immediately = false, actor }: { expired?: boolean; immediately?: boolean; actor: Actor },
  ): Promise<void> {
    const { task, request } = attempt;
    const consequence = afterFailedAttempt({ expired, error, task, request });
    const retried = consequence.next === 'retry';
    const delaySeconds = immediately
      ? 0
      : (error.retryAfterSeconds ?? backoffSeconds(request.attemptCount, Math.random()));
    await this.moveRequest(tx, organizationId, attempt, retried ? 'queued' : 'failed', error, delaySeconds);
    await this.countAttempt(tx, organizationId, attempt, consequence);
    if (retried) {
      if (delaySeconds === 0) await this.queue.announce(tx, organizationId, 1);
      return;
    }
    const end = await this.endCode(tx, organizationId, attempt, consequence.next, error);
    if (!end) return;
    await this.tasks.end(
      tx,
      organizationId,
      attempt.locked,
      task,
      { status: 'failed', ...end, runId: attempt.run.id },
      actor,
    );
  }

  /** The task was cancelled before: the run's end is noted and moves nothing else. */
  async afterTaskEnded(tx: Tx, organizationId: string, { request }: Attempt): Promise<void> {
    await this.closeRequest(tx, organizationId, request.id, 'cancelled');
  }

  /** An owner cancelled the run: the task fails, or gets another run. */
  async afterRunCancelled(
    tx: Tx,
    organizationId: string,
    attempt: Attempt,
    error: AttemptError,
    actor: Actor,
  ): Promise<void> {
    const { request, task, locked, run } = attempt;
    await this.closeRequest(tx, organizationId, request.id, 'cancelled', error, run.id);
    if (!request.requeueOnCancel)
      return this.tasks.end(
        tx,
        organizationId,
        locked,
        task,
        { status: 'failed', code: 'run_cancelled', message: error.message, runId: run.id },
        actor,
      );
    await this.setPending(tx, organizationId, task.id);
    await this.tasks.proceed(tx, organizationId, locked, [task.id]);
  }

  async closeRequest(
    tx: Tx,
    organizationId: string,
    requestId: string,
    status: 'completed' | 'cancelled',
    error?: AttemptError,
    runId?: string,
  ): Promise<void> {
    await tx.rows(
      statement(
        `update run_request set status = $3, updated_at = clock_timestamp(),
           last_error = coalesce(${errorColumn('$4')} || jsonb_build_object('runId', $5::text), last_error)
         where organization_id = $1 and id = $2 and status = 'running'`,
        organizationId,
        requestId,
        status,
        json(error),
        runId ?? null,
      ),
    );
  }

  private async moveRequest(
    tx: Tx,
    organizationId: string,
    { request, run }: Attempt,
    status: 'queued' | 'failed',
    error: AttemptError,
    delaySeconds: number,
  ): Promise<void> {
    await tx.rows(
      statement(
        `update run_request set status = $3, updated_at = clock_timestamp(),
           last_error = ${errorColumn('$4')} || jsonb_build_object('runId', $5::text),
           ready = $6::double precision = 0, available_at = clock_timestamp() + $6::double precision * interval '1 second',
           claimed_at = null, claim_expires_at = null, claim_token_hash = null, worker_id = null, boot_id = null,
           claim_request_key = null, cancel_requested_at = null, requeue_on_cancel = false
         where organization_id = $1 and id = $2 and status = 'running'`,
        organizationId,
        request.id,
        status,
        json(error),
        run.id,
        delaySeconds,
      ),
    );
  }

  /** The task goes back to `pending` with its counters moved; where it ends next, its end says so. */
  private async countAttempt(
    tx: Tx,
    organizationId: string,
    { task }: Attempt,
    { refund, counts }: Consequence,
  ): Promise<void> {
    await tx.rows(
      statement(
        `update task set status = 'pending', version = version + 1, updated_at = clock_timestamp(),
           consumed_agent_run_count = consumed_agent_run_count - $3, refund_streak = case when $3 = 1 then refund_streak + 1 else 0 end,
           plan_failures = plan_failures + case when phase = 'plan' then $4::int else 0 end,
           execute_failures = execute_failures + case when phase = 'execute' then $4::int else 0 end,
           verify_failures = verify_failures + case when phase = 'verify' then $4::int else 0 end
         where organization_id = $1 and id = $2 and status = 'running'`,
        organizationId,
        task.id,
        refund ? 1 : 0,
        counts ? 1 : 0,
      ),
    );
  }

  /** How the task ends now; undefined where a person is asked instead, which blocks it. */
  private async endCode(
    tx: Tx,
    organizationId: string,
    { task }: Attempt,
    next: Exclude<Consequence['next'], 'retry'>,
    error: AttemptError,
  ): Promise<{ code: TaskEndCode; message: string } | undefined> {
    if (next !== 'ask') return { code: next, message: MESSAGES[next] ?? error.message };
    const message = 'Runs of this task ended again and again without anybody reporting why.';
    const inboxItemId = await this.questions.ask(tx, organizationId, task.id, message);
    if (inboxItemId === null) return { code: 'attempts_exhausted', message };
    await tx.rows(
      statement(
        `update task set status = 'blocked', blockers = jsonb_build_array(
           jsonb_build_object('kind', 'operator', 'inboxItemId', $3::text, 'since', ${ISO_NOW}))
         where organization_id = $1 and id = $2`,
        organizationId,
        task.id,
        inboxItemId,
      ),
    );
    return undefined;
  }

  private async setPending(tx: Tx, organizationId: string, taskId: string): Promise<void> {
    await tx.rows(
      statement(
        `update task set status = 'pending', version = version + 1, updated_at = clock_timestamp()
         where organization_id = $1 and id = $2 and status = 'running'`,
        organizationId,
        taskId,
      ),
    );
  }
}

/** An error as it is stored: with the database's time of it. */
function errorColumn(placeholder: string): string {
  return `(${placeholder}::jsonb || jsonb_build_object('at', ${ISO_NOW}))`;
}

function json(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
