const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const DELIVERIES = {
  /** For one attempt, from the look-up of the name to the status of the answer. */
  attemptMs: 10 * SECOND,
  /** How long an attempt belongs to the process that makes it. */
  leaseSeconds: 60,
  /** Of one webhook, over all processes. */
  mostInFlight: 4,
  attemptsShown: 12,
  /** A webhook that failed without a success for so long, and so often, is disabled. */
  failingDays: 5,
  failingAttempts: 20,
  /** When a person is told. */
  toldAfterHours: 24,
} as const;

/** Pauses behind each failed attempt; behind one more than these a delivery is dead, 3 days after its first attempt. */
const PAUSES_MS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  18 * HOUR,
  22 * HOUR,
] as const;
const JITTER = 0.2;

/**
 * How long to wait behind this failed attempt, counted from 1; undefined where it was the last. `Retry-After` only makes it
 * longer, to a day at most.
 */
export function pauseMs(attempt: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const pause = PAUSES_MS[attempt - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause * (1 - JITTER + 2 * JITTER * random), Math.min(retryAfterMs, DAY)));
}

/** The wait that an answer asks for: seconds, or a date; 0 for none, and for what is neither. */
export function retryAfterMs(header: string | string[] | undefined, nowMs = Date.now()): number {
  if (typeof header !== 'string') return 0;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? 0 : Math.max(0, at - nowMs);
}
