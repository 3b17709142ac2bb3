import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Clock } from '../clock/index.ts';
import type { Draining } from '../http/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { LeaseMetrics } from './lease.metrics.ts';

/** How often one waiting claim looks without a signal, so that a lost signal only delays. */
const POLL_MS = 5_000;

/** The work that a claim would take. */
interface Wanted {
  readonly organizationIds: readonly string[] | null;
  /** Whether it wants only some of an organization's work, so that a signal may not be for it. */
  readonly narrow: boolean;
}

/** How long a claim waits. */
interface Patience {
  readonly waitSeconds: number;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

/** Lets a claim that joined the line wait in it and leave it. */
interface WaitHandle {
  /**
   * Resolves to true when there may be work, and to false when the time is up, the service stops or the client has
   * gone.
   */
  wait(limitMs: number): Promise<boolean>;
  /** Leaves the line; `served` are the organizations of the items that the claim took. */
  leave(served: readonly string[]): void;
}

interface Signal {
  /** Undefined for work of any organization. */
  readonly organizationId: string | undefined;
}

interface Waiter {
  readonly wanted: Wanted;
  /** Set while the claim waits; undefined while it looks for work. */
  wake: ((work: boolean) => void) | undefined;
  /** The organization whose signal woke it. */
  following: string | undefined;
  /** A signal that arrived while it looked. */
  missed: Signal | undefined;
  lookedAt: number;
}

/**
 * The claims of this process that wait for one kind of work; the subscriber that hears of new work wakes them. A signal wakes as many
 * of them as there are new ready items, oldest first; one that finds nothing goes on waiting, and where that may be for
 * its own filters the next in line looks too. None of them holds a database connection meanwhile.
 */
export abstract class WaitingLine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly line = new Set<Waiter>();
  private poll: NodeJS.Timeout | undefined;
  private looks = 0;
  private closed = false;

  constructor(
    private readonly draining: Draining,
    private readonly clock: Clock,
    metrics: Metrics,
    kind: 'run' | 'turn',
  ) {
    metrics.gauge(LeaseMetrics.waiting, () => this.idle, { kind });
  }

  onApplicationBootstrap(): void {
    this.draining.onBegin(() => this.end());
    this.poll = setInterval(() => this.wakeLongestUnseen(), POLL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.poll);
    this.end();
  }

  /** Number of claims that wait now. */
  get idle(): number {
    return [...this.line].filter(({ wake }) => wake).length;
  }

  /**
   * Calls `look` until it finds items and returns them; returns none when the time is up, the service stops or the
   * client has gone.
   */
  async take<Item>(
    wanted: Wanted,
    { waitSeconds, gone }: Patience,
    look: () => Promise<Item[]>,
    organizationOf: (item: Item) => string,
  ): Promise<Item[]> {
    if (waitSeconds === 0) return look();
    const deadline = this.clock.monotonicMs() + waitSeconds * 1_000;
    // Joins before the first look, so that it gets a signal for work that becomes ready meanwhile.
    const handle = this.join(wanted, gone);
    let items: Item[] = [];
    try {
      for (;;) {
        // A client that has gone, or must go to another process, must not hold a claim.
        if (gone.aborted || this.draining.begun) return [];
        items = await look();
        if (items.length > 0) return items;
        if (!(await handle.wait(deadline - this.clock.monotonicMs()))) return [];
      }
    } finally {
      handle.leave(items.map(organizationOf));
    }
  }

  /** Called when a claim that followed an organization's signal leaves without an item of it. */
  protected abstract leftUnserved(organizationId: string): void;

  private join(wanted: Wanted, gone: AbortSignal): WaitHandle {
    const lookedAt = (this.looks += 1);
    const waiter: Waiter = { wanted, wake: undefined, following: undefined, missed: undefined, lookedAt };
    this.line.add(waiter);
    const hungUp = () => answer(waiter, false);
    gone.addEventListener('abort', hungUp);
    return {
      wait: (limitMs) => this.wait(waiter, limitMs, gone),
      leave: (served) => {
        gone.removeEventListener('abort', hungUp);
        this.line.delete(waiter);
        const { following, missed } = waiter;
        if (following !== undefined && !served.includes(following)) this.leftUnserved(following);
        if (missed) this.wake(missed, 1);
      },
    };
  }

  private async wait(waiter: Waiter, limitMs: number, gone: AbortSignal): Promise<boolean> {
    const { following, missed } = waiter;
    if (following !== undefined && waiter.wanted.narrow) this.wake({ organizationId: following }, 1, waiter);
    waiter.following = undefined;
    if (this.closed || gone.aborted || limitMs <= 0) return false;
    if (missed) follow(waiter, missed);
    else if (!(await this.woken(waiter, limitMs))) return false;
    waiter.lookedAt = this.looks += 1;
    return true;
  }

  private async woken(waiter: Waiter, limitMs: number): Promise<boolean> {
    const woken = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => answer(waiter, false), limitMs);
    waiter.wake = woken.resolve;
    const work = await woken.promise;
    clearTimeout(timer);
    return work;
  }

  /**
   * Wakes up to `count` claims that want such work, after `after` in the line. Returns how many of them were waiting
   * without further filters, so that they will claim.
   */
  protected wake(signal: Signal, count: number, after?: Waiter): number {
    const idle: Waiter[] = [];
    const busy: Waiter[] = [];
    let behind = after === undefined;
    for (const waiter of this.line) {
      if (behind && wants(waiter, signal)) (waiter.wake ? idle : busy).push(waiter);
      behind ||= waiter === after;
    }
    // A waiter that is looking just now may have looked too early.
    for (const waiter of [...idle, ...busy].slice(0, count)) rouse(waiter, signal);
    return idle.slice(0, count).filter(({ wanted }) => !wanted.narrow).length;
  }

  protected wakeAll(): void {
    for (const waiter of this.line) rouse(waiter, ANY);
  }

  private wakeLongestUnseen(): void {
    const idle = [...this.line].filter(({ wake }) => wake);
    const [first] = idle.sort((a, b) => a.lookedAt - b.lookedAt);
    if (first) rouse(first, ANY);
  }

  private end(): void {
    this.closed = true;
    for (const waiter of this.line) answer(waiter, false);
  }
}

const ANY: Signal = { organizationId: undefined };

function wants({ wanted }: Waiter, { organizationId }: Signal): boolean {
  return organizationId === undefined || !wanted.organizationIds || wanted.organizationIds.includes(organizationId);
}

/** Wakes a waiting claim; one that is looking gets the signal afterwards. */
function rouse(waiter: Waiter, signal: Signal): void {
  if (!waiter.wake) {
    waiter.missed = signal;
    return;
  }
  follow(waiter, signal);
  answer(waiter, true);
}

function answer(waiter: Waiter, work: boolean): void {
  const { wake } = waiter;
  waiter.wake = undefined;
  wake?.(work);
}

function follow(waiter: Waiter, { organizationId }: Signal): void {
  waiter.following = organizationId;
  waiter.missed = undefined;
}
