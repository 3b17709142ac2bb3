import type { LockedTask, TaskEndCode, TaskPhase } from '../../tasks/index.ts';
import type { AttemptError } from './attempt-error.ts';

/** Refunds of run credit in a row; before one more, a person is asked. */
const MAX_REFUNDS_IN_A_ROW = 3;

export interface FailedAttempt {
  /** The run expired, so there is no report. */
  readonly expired: boolean;
  readonly error: AttemptError;
  readonly task: Pick<
    LockedTask,
    'consumedAgentRunCount' | 'maxAgentRuns' | 'maxAttemptsPerPhase' | 'refundStreak' | 'phase' | FailureCounter
  >;
  readonly request: { readonly attemptCount: number; readonly maxAttempts: number };
}

type FailureCounter = 'planFailures' | 'executeFailures' | 'verifyFailures';

const COUNTERS: Readonly<Record<TaskPhase, FailureCounter>> = {
  plan: 'planFailures',
  execute: 'executeFailures',
  verify: 'verifyFailures',
};

export function failuresIn(phase: TaskPhase, task: Pick<LockedTask, FailureCounter>): number {
  return task[COUNTERS[phase]];
}

export interface Consequence {
  /** Whether the run's credit is given back. */
  readonly refund: boolean;
  /** Whether it counts as a failed attempt of the phase; else only of the request. */
  readonly counts: boolean;
  /** What becomes of the task: tried again, failed with a code, or a person is asked. */
  readonly next: 'retry' | 'ask' | TaskEndCode;
}

/** Whether a task may go on by itself when its run's credit is given back. */
export function mayRefund({ refundStreak }: Pick<LockedTask, 'refundStreak'>): boolean {
  return refundStreak < MAX_REFUNDS_IN_A_ROW;
}

/** The consequence of a failed or expired attempt for its request and task. */
export function afterFailedAttempt({ expired, error, task, request }: FailedAttempt): Consequence {
  const refund = expired || error.class === 'infrastructure';
  const counts = !refund;
  const failures = failuresIn(task.phase, task) + (counts ? 1 : 0);
  const consumed = task.consumedAgentRunCount - (refund ? 1 : 0);
  const next = (): Consequence['next'] => {
    if (!error.retryable) return 'run_failed';
    if (failures >= task.maxAttemptsPerPhase || request.attemptCount >= request.maxAttempts)
      return 'attempts_exhausted';
    if (consumed >= task.maxAgentRuns) return 'budget_exhausted';
    return refund && !mayRefund(task) ? 'ask' : 'retry';
  };
  return { refund, counts, next: next() };
}
