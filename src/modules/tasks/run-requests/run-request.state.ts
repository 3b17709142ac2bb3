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

/** `background` is what the backend's own kinds of tasks run in: behind `standard` of the same priority. */
export const EXECUTION_CLASSES = ['standard', 'background'] as const;

/** Attempts of one request unless its task's budget ends it earlier. */
export const DEFAULT_MAX_ATTEMPTS = 3;

/** What went wrong last, by who has to do something about it. */
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
