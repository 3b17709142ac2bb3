/**
 * Guarantees: what a process measures for itself (windows of failed attempts, ages of cache entries) goes by one
 * monotonic clock that tests can turn.
 * Refuses: deadlines. Whatever is stored or fences a move is decided by `clock_timestamp()` of the database.
 */
import { Injectable } from '@nestjs/common';

let lastMs = Number.NaN;
let lastText = '';

/**
 * The time of this process as ISO 8601 in UTC with milliseconds, for what only tells (envelopes, lines of the log). Made
 * once a millisecond: under load it is asked for several times in each.
 */
export function isoNow(): string {
  const nowMs = Date.now();
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastText = new Date(nowMs).toISOString();
  }
  return lastText;
}

@Injectable()
export class Clock {
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonicMs(): number {
    return performance.now();
  }
}
