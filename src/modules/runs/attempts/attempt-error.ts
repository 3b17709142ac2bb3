import type { ErrorClass } from '../../tasks/index.ts';
import { RunIssues } from '../run.errors.ts';

/** The error that a failed attempt reports, or that the backend finds; the database adds the time. */
export interface AttemptError {
  readonly code: string;
  readonly message: string;
  readonly class: ErrorClass;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
}

const FIRST_BACKOFF_SECONDS = 15;
const MAX_BACKOFF_SECONDS = 15 * 60;

/** Seconds until the attempt after the `attempt`th, with full jitter: `random` is from 0 to 1. */
export function backoffSeconds(attempt: number, random: number): number {
  return random * Math.min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2 ** (attempt - 1));
}

export const OUTCOME_MISSING: AttemptError = {
  ...RunIssues.outcomeMissing,
  class: 'protocol',
  retryable: true,
  retryAfterSeconds: null,
};

export function leaseExpired(message: string): AttemptError {
  return { code: 'lease_expired', message, class: 'infrastructure', retryable: true, retryAfterSeconds: null };
}

export const RUN_CANCELLED: AttemptError = {
  code: 'run_cancelled',
  message: 'The run was cancelled.',
  class: 'cancelled',
  retryable: false,
  retryAfterSeconds: null,
};
