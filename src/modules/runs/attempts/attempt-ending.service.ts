import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ActivityLogService, type Actor } from '../../organizations/index.ts';
import {
  OperatorQuestions,
  RunRequestQueueService,
  TaskBlockersService,
  type TaskEndCode,
  TaskEndingService,
  WorkSignals,
} from '../../tasks/index.ts';
import type { Attempt } from './attempt.ts';
import {
  closeRequest,
  closeRun,
  countAttempt,
  type FinalReport,
  requeueRequest,
  type RunEnd,
  requeueTask,
} from './attempt-ending.queries.ts';
import { afterFailedAttempt } from './attempt-policy.ts';
import { type AttemptError, backoffSeconds } from './attempt-error.ts';
import { type EndedRunStatus, runMoves } from '../run.state.ts';

const MESSAGES: Readonly<Partial<Record<TaskEndCode, string>>> = {
  attempts_exhausted: 'The attempts of this phase are used up.',
  budget_exhausted: 'The task has used up its run budget.',
};

interface Failure {
  readonly actor: Actor;
  /** Why the run ended without a report, where it did. */
  readonly expired?: string;
  /** Without backoff. */
  readonly immediately?: boolean;
}

/** Ends runs, and moves request and task accordingly, in the caller's transaction that has locked the attempt. */
@Injectable()
export class AttemptEndingService {
  constructor(
    private readonly tasks: TaskEndingService,
    private readonly queue: RunRequestQueueService,
    private readonly questions: OperatorQuestions,
    private readonly blockers: TaskBlockersService,
    private readonly signals: WorkSignals,
    private readonly activity: ActivityLogService,
  ) {}

  /** Ends a run as succeeded, and its request as done; the outcome's handler moves the task. */
  async succeed(tx: Tx, attempt: Attempt, report: FinalReport, actor: Actor): Promise<void> {
    const request = closeRequest(tx.organizationId, attempt, 'complete');
    await tx.batch([request, ...this.closing(tx, attempt, 'succeed', report, actor)]);
  }

  /** Ends a run whose task ended before it: keeps the report and moves nothing else. */
  async endBehindTask(tx: Tx, attempt: Attempt, report: FinalReport, actor: Actor): Promise<void> {
    const request = closeRequest(tx.organizationId, attempt, 'cancel');
    await tx.batch([request, ...this.closing(tx, attempt, 'cancel', report, actor)]);
  }

  /** Ends a run that an owner cancelled: the task fails, or gets another run. */
  async cancel(tx: Tx, attempt: Attempt, report: FinalReport, error: AttemptError, actor: Actor): Promise<void> {
    const { request, task, locked, run } = attempt;
    await tx.batch([
      closeRequest(tx.organizationId, attempt, 'cancel', error),
      ...this.closing(tx, attempt, 'cancel', report, actor),
      ...(request.requeueOnCancel ? [requeueTask(tx.organizationId, task.id)] : []),
    ]);
    if (request.requeueOnCancel) return this.tasks.proceed(tx, locked, [task.id]);
    const end = { status: 'failed', code: 'run_cancelled', message: error.message, runId: run.id } as const;
    await this.tasks.end(tx, locked, task, end, actor);
  }

  /** Ends a failed or expired attempt: request and task are tried again, or end. */
  async fail(
    tx: Tx,
    attempt: Attempt,
    { error, ...report }: FinalReport & { readonly error: AttemptError },
    { expired, immediately = false, actor }: Failure,
  ): Promise<void> {
    const { organizationId } = tx;
    const { task, request, locked, run } = attempt;
    const consequence = afterFailedAttempt({ expired: expired !== undefined, error, task, request });
    const retried = consequence.next === 'retry';
    const backoff = error.retryAfterSeconds ?? backoffSeconds(request.attemptCount, Math.random());
    const delaySeconds = immediately ? 0 : backoff;
    await tx.batch([
      countAttempt(organizationId, attempt, consequence),
      retried
        ? requeueRequest(organizationId, attempt, error, delaySeconds)
        : closeRequest(organizationId, attempt, 'fail', error),
      ...this.closing(tx, attempt, expired === undefined ? 'fail' : 'expire', { ...report, error }, actor, {
        ...(expired === undefined ? {} : { reason: expired }),
        next: consequence.next,
        ...(retried ? { retryInSeconds: delaySeconds } : {}),
      }),
    ]);
    if (retried && delaySeconds === 0) await this.queue.announce(tx, [task.ownerAgentProfileId]);
    const { next } = consequence;
    if (next === 'retry') return;
    if (next === 'ask')
      return this.ask(tx, attempt, 'Runs of this task ended again and again without a report.', actor);
    const end = { status: 'failed', code: next, message: MESSAGES[next] ?? error.message, runId: run.id } as const;
    await this.tasks.end(tx, locked, task, end, actor);
  }

  /** Puts the task before a person, which blocks it until the answer; it fails where nobody can be asked. */
  async ask(tx: Tx, { task, locked, run }: Attempt, message: string, actor: Actor): Promise<void> {
    const inboxItemId = await this.questions.ask(tx, task.id, message);
    if (inboxItemId !== null) return this.blockers.add(tx, task.id, { kind: 'operator', inboxItemId });
    const end = { status: 'failed', code: 'attempts_exhausted', message, runId: run.id } as const;
    await this.tasks.end(tx, locked, task, end, actor);
  }

  /** Closes the run itself. Its capacity is free after the commit, so the commit wakes a claim that waits for work. */
  private closing(
    tx: Tx,
    { run, task, request }: Attempt,
    end: RunEnd,
    report: FinalReport,
    actor: Actor,
    consequence: Readonly<Record<string, unknown>> = {},
  ) {
    const { organizationId } = tx;
    tx.afterCommit(() => this.signals.ready(organizationId, 1));
    // Read behind the lock: a run that has ended does not end again.
    const status = runMoves.next(end, run.status) as EndedRunStatus;
    return [
      closeRun(organizationId, run.id, status, report),
      ...this.activity.entry(tx, {
        actor,
        verb: `run.${status}`,
        subject: { kind: 'run', id: run.id, label: `${task.identifier} ${task.title}` },
        details: { taskId: task.id, ...(report.error ? { code: report.error.code } : {}) },
        facts: { workerId: run.workerId, attempt: request.attemptCount, ...consequence },
      }),
    ];
  }
}
