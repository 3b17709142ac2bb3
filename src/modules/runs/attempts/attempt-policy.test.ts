import { describe, expect, it } from '@jest/globals';
import { afterFailedAttempt, type FailedAttempt } from './attempt-policy.ts';
import { backoffSeconds, leaseExpired } from './attempt-error.ts';

const error = { code: 'x', message: 'x', class: 'agent', retryable: true, retryAfterSeconds: null } as const;
const task: FailedAttempt['task'] = {
  phase: 'execute',
  consumedAgentRunCount: 1,
  maxAgentRuns: 20,
  maxAttemptsPerPhase: 3,
  refundStreak: 0,
  planFailures: 9,
  executeFailures: 0,
  verifyFailures: 9,
};
const request = { attemptCount: 1, maxAttempts: 3 };
const after = (change: Partial<FailedAttempt> = {}) =>
  afterFailedAttempt({ expired: false, error, task, request, ...change });

describe('afterFailedAttempt', () => {
  it('tries again while attempts of request, phase and budget are left', () => {
    expect(after()).toEqual({ refund: false, counts: true, next: 'retry' });
  });

  it('ends at the phase’s limit of its own failures', () => {
    expect(after({ task: { ...task, executeFailures: 1 } }).next).toBe('retry');
    expect(after({ task: { ...task, executeFailures: 2 } }).next).toBe('attempts_exhausted');
  });

  it('ends at the request’s limit, of expired attempts too', () => {
    expect(after({ request: { attemptCount: 3, maxAttempts: 3 } }).next).toBe('attempts_exhausted');
    expect(after({ expired: true, error: leaseExpired(''), request: { attemptCount: 3, maxAttempts: 3 } }).next).toBe(
      'attempts_exhausted',
    );
  });

  it('ends at once when it may not be retried', () => {
    expect(after({ error: { ...error, retryable: false } }).next).toBe('run_failed');
  });

  it('ends when the run budget is used up', () => {
    expect(after({ task: { ...task, consumedAgentRunCount: 20 } }).next).toBe('budget_exhausted');
    expect(after({ expired: true, task: { ...task, consumedAgentRunCount: 20 } }).next).toBe('retry');
  });

  it('gives the credit of expired and infrastructure failures back, three times in a row', () => {
    const infrastructure = { ...error, class: 'infrastructure' } as const;
    expect(after({ error: infrastructure })).toEqual({ refund: true, counts: false, next: 'retry' });
    expect(after({ error: infrastructure, task: { ...task, refundStreak: 2 } }).next).toBe('retry');
    expect(after({ error: infrastructure, task: { ...task, refundStreak: 3 } }).next).toBe('ask');
  });
});

describe('backoffSeconds', () => {
  it('doubles up to 15 minutes, with full jitter', () => {
    expect([1, 2, 3, 7, 50].map((attempt) => backoffSeconds(attempt, 1))).toEqual([15, 30, 60, 900, 900]);
    expect(backoffSeconds(3, 0)).toBe(0);
  });
});
