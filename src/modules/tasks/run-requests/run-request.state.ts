import { isOneOf, type StatusMove, StatusMoves } from '../../../kernel/sql/index.ts';

/**
 * `queued` waits, `claimed` is held by one worker under a claim lease, `running` has one live run. The others are ends;
 * `superseded` means that the task moved on and its unblocking queues a fresh one.
 */
export const RUN_REQUEST_STATUSES = [
  'queued',
  'claimed',
  'running',
  'completed',
  'failed',
  'cancelled',
  'superseded',
] as const;
export const ENDED_RUN_REQUEST_STATUSES = [
  'completed',
  'failed',
  'cancelled',
  'superseded',
] as const satisfies readonly (typeof RUN_REQUEST_STATUSES)[number][];
export type RunRequestStatus = (typeof RUN_REQUEST_STATUSES)[number];

/** A task has at most one request in one of these. */
const OPEN_RUN_REQUEST_STATUSES = ['queued', 'claimed', 'running'] as const satisfies readonly RunRequestStatus[];

/** Every move of a request. The end of an attempt is a `retry` while it may be tried again, else a `fail`. */
export const RUN_REQUEST_MOVES = {
  claim: { queued: 'claimed' },
  /** A repeat of a claim gets new tokens for what it still holds. */
  claimAgain: { claimed: 'claimed' },
  /** The claim lapses, or its worker gives it back or starts anew without it: no attempt is counted. */
  giveBack: { claimed: 'queued' },
  start: { claimed: 'running' },
  complete: { running: 'completed' },
  retry: { running: 'queued' },
  fail: { running: 'failed' },
  /** Its run was cancelled. */
  cancel: { running: 'cancelled' },
  /** Its task got a new dependency. */
  supersede: { queued: 'superseded', claimed: 'superseded' },
  /** Its task failed, or ended otherwise. The backend asks a live run to stop; its request ends with it. */
  failWithTask: { queued: 'failed', claimed: 'failed', running: 'running' },
  endWithTask: { queued: 'cancelled', claimed: 'cancelled', running: 'running' },
} as const satisfies Record<string, StatusMove<RunRequestStatus>>;
export type RunRequestMove = keyof typeof RUN_REQUEST_MOVES;

export const runRequestMoves = new StatusMoves<RunRequestStatus, RunRequestMove>(RUN_REQUEST_MOVES);

/** Condition of requests that have not ended, of a column. */
export function isOpenRequest(column: string): string {
  return isOneOf(column, OPEN_RUN_REQUEST_STATUSES);
}

/** Condition of a request that a claim may take: the index `run_request_queues` holds exactly these. */
export function isClaimable(request: string): string {
  return `${request}.status = 'queued' and ${request}.ready`;
}

/** Condition of a request that a worker holds and has not started: the index `run_request_handed_out` holds exactly these. */
export function isHandedOut(request: string): string {
  return `${request}.status = 'claimed'`;
}

/** The backend's own kinds of tasks run in `background`, behind `standard` of the same priority. */
export const EXECUTION_CLASSES = ['standard', 'background'] as const;

/** Attempts of one request unless its task's budget ends it earlier. */
export const DEFAULT_MAX_ATTEMPTS = 3;

/** Classes of errors, by the party that has to act on them. */
export const ERROR_CLASSES = [
  'transient',
  'quota',
  'auth',
  'config',
  'agent',
  'protocol',
  'infrastructure',
  'cancelled',
] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly class: ErrorClass;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
  /** ISO 8601. */
  readonly at: string;
}

/** A run's error as its request remembers it. */
export interface LastError extends RunError {
  readonly runId: string | null;
}
