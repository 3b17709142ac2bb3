/**
 * Guarantees: what a process measures for itself (windows of failed attempts, ages of cache entries) goes by one
 * monotonic clock that tests can turn.
 * Refuses: deadlines. Whatever is stored or fences a move is decided by `clock_timestamp()` of the database.
 */
import { Injectable } from '@nestjs/common';

@Injectable()
export class Clock {
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonicMs(): number {
    return performance.now();
  }
}
