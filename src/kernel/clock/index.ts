/**
 * Guarantees: what a process measures for itself (windows of failed attempts, ages of cache entries) uses one monotonic
 * clock that tests can set, and so does the time of day with which lifetimes of foreign tokens are compared.
 * Refuses: deadlines. The database's `clock_timestamp()` decides whatever is stored or fences a change.
 */
import { Injectable } from '@nestjs/common';

let lastMs = Number.NaN;
let lastText = '';

/**
 * The time of this process as ISO 8601 in UTC with milliseconds, only for information (envelopes, log lines). Formatted
 * once per millisecond, because under load it is read several times in each.
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

  /** Milliseconds since 1970 by the clock of this machine, for times that another service signed. */
  epochMs(): number {
    return Date.now();
  }
}
