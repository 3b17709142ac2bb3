import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../clock/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';

const MAX_ATTEMPTS = 20;
const WINDOW_MS = 60_000;

interface Window {
  readonly endsAtMs: number;
  attempts: number;
}

/**
 * Limits wrong credentials per address and process: after 20 in a minute they are answered 429. Never refuses a right
 * credential, because all callers behind one proxy share its address, and 256 random bits cannot be guessed anyway.
 */
@Injectable()
export class FailedAttempts {
  private readonly windows = new LRUCache<string, Window>({ max: 50_000 });

  constructor(private readonly clock: Clock) {}

  /** Counts one wrong credential; throws 429 when there were too many, otherwise the caller answers 401. */
  count(address: string): void {
    const nowMs = this.clock.monotonicMs();
    let window = this.windows.get(address);
    if (!window || window.endsAtMs <= nowMs) {
      window = { endsAtMs: nowMs + WINDOW_MS, attempts: 0 };
      this.windows.set(address, window);
    }
    window.attempts += 1;
    if (window.attempts > MAX_ATTEMPTS)
      throw new ApiError(EdgeErrors.rateLimited, {
        headers: { 'Retry-After': String(Math.ceil((window.endsAtMs - nowMs) / 1000)) },
      });
  }
}
