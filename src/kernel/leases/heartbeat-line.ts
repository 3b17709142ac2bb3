import type { Clock } from '../clock/index.ts';
import type { Draining } from '../http/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { LeaseMetrics } from './lease.metrics.ts';

/** Most heartbeats of a kind that wait in a process; further ones are answered at once. */
const MOST_WAITING = 20_000;

/** How long a heartbeat waits. */
interface Patience {
  readonly waitMs: number;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

interface Waiter {
  /** Set while it waits; undefined while it beats. */
  wake: ((told: boolean) => void) | undefined;
  /** Whether it was told of something while it beat. */
  told: boolean;
}

/**
 * The heartbeats of this process that wait until there is something to say, each under the keys of what may say it; the
 * subscriber that hears of a change tells them by key. None of them holds a database connection meanwhile, and one that
 * hears nothing costs the database what a heartbeat costs that does not wait.
 */
export class HeartbeatLine {
  private readonly waiters = new Map<string, Set<Waiter>>();
  private waiting = 0;
  private closed = false;

  constructor(
    draining: Draining,
    private readonly clock: Clock,
    metrics: Metrics,
    kind: 'run' | 'turn',
  ) {
    metrics.gauge(LeaseMetrics.beatsWaiting, () => this.idle, { kind });
    draining.onBegin(() => this.end());
  }

  /** Number of heartbeats that wait now. */
  get idle(): number {
    return this.waiting;
  }

  /**
   * Calls `beat`, and answers at once what is news; else waits until it is told under one of the keys, and beats again.
   * Answers the last beat when the time is up, the service stops or the client has gone.
   */
  async hear<Answer>(
    keys: readonly string[],
    { waitMs, gone }: Patience,
    beat: () => Promise<Answer>,
    isNews: (answer: Answer, first: Answer) => boolean,
  ): Promise<Answer> {
    if (waitMs <= 0 || this.waiting >= MOST_WAITING) return beat();
    const deadline = this.clock.monotonicMs() + waitMs;
    const waiter: Waiter = { wake: undefined, told: false };
    const hungUp = () => wake(waiter, false);
    // Joins before the first beat, so that it is told of what changes meanwhile.
    this.join(waiter, keys);
    gone.addEventListener('abort', hungUp);
    try {
      const first = await beat();
      let answer = first;
      while (!isNews(answer, first) && !gone.aborted && (await this.wait(waiter, deadline))) answer = await beat();
      return answer;
    } finally {
      gone.removeEventListener('abort', hungUp);
      this.leave(waiter, keys);
    }
  }

  /** Tells heartbeats under a key that something changed, which they find out by their next beat. */
  tell(key: string): void {
    for (const waiter of this.waiters.get(key) ?? []) tell(waiter);
  }

  tellAll(): void {
    for (const waiters of this.waiters.values()) for (const waiter of waiters) tell(waiter);
  }

  /** Answers all that wait; none waits from now on. */
  end(): void {
    this.closed = true;
    for (const waiters of this.waiters.values()) for (const waiter of waiters) wake(waiter, false);
  }

  private join(waiter: Waiter, keys: readonly string[]): void {
    for (const key of keys) {
      const together = this.waiters.get(key);
      if (together) together.add(waiter);
      else this.waiters.set(key, new Set([waiter]));
    }
  }

  private leave(waiter: Waiter, keys: readonly string[]): void {
    for (const key of keys) {
      const together = this.waiters.get(key);
      together?.delete(waiter);
      if (together?.size === 0) this.waiters.delete(key);
    }
  }

  /** Resolves to true when it was told of something. */
  private async wait(waiter: Waiter, deadline: number): Promise<boolean> {
    const limitMs = deadline - this.clock.monotonicMs();
    if (this.closed || limitMs <= 0) return false;
    if (!waiter.told) {
      const woken = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => wake(waiter, false), limitMs);
      waiter.wake = woken.resolve;
      this.waiting += 1;
      const told = await woken.promise;
      this.waiting -= 1;
      clearTimeout(timer);
      if (!told) return false;
    }
    waiter.told = false;
    return true;
  }
}

function tell(waiter: Waiter): void {
  if (waiter.wake) wake(waiter, true);
  else waiter.told = true;
}

function wake(waiter: Waiter, told: boolean): void {
  const { wake: resolve } = waiter;
  waiter.wake = undefined;
  resolve?.(told);
}
