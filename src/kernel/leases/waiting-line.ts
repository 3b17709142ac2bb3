import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Clock } from '../clock/index.ts';
import type { Draining } from '../http/index.ts';

/** A lost signal only delays: every so often one of those who wait looks by itself. */
const POLL_MS = 5_000;

/** What a waiter would take. */
interface Wanted {
  readonly organizationIds: readonly string[] | null;
  /** It wants only some of an organization's work, so a signal may not be for it. */
  readonly narrow: boolean;
}

/** How long a caller waits. */
interface Patience {
  readonly waitSeconds: number;
  /** Aborted when the client hangs up. */
  readonly gone: AbortSignal;
}

/** One call in the line of those that wait for work. */
interface Place {
  /** Resolves to true when there may be work, to false when the wait is over: time, shutdown, or the client is gone. */
  wait(limitMs: number): Promise<boolean>;
  leave(): void;
}

interface Waiter {
  readonly wanted: Wanted;
  /** Set while it waits; it looks for work otherwise. */
  wake: ((work: boolean) => void) | undefined;
  /** A signal came while it looked. */
  again: boolean;
  /** The organization whose signal it is following. */
  following: string | undefined;
  lookedAt: number;
}

/**
 * The claims of this process that wait for one kind of work; whoever hears of new work wakes them. A signal wakes as many
 * of them as there are new ready items, oldest first; one that finds nothing goes on waiting, and where that may be for
 * its own filters the next in line looks too. Nobody holds a database connection meanwhile.
 */
export abstract class WaitingLine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly line = new Set<Waiter>();
  private poll: NodeJS.Timeout | undefined;
  private looks = 0;
  private closed = false;

  constructor(
    private readonly draining: Draining,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.draining.onBegin(() => this.end());
    this.poll = setInterval(() => this.wakeLongestUnseen(), POLL_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.poll);
    this.end();
  }

  /** How many wait just now. */
  get idle(): number {
    return [...this.line].filter(({ wake }) => wake).length;
  }

  /** What `look` finds, as soon as that is anything; nothing when the time is up, the service stops or the client is gone. */
  async take<Item>(wanted: Wanted, { waitSeconds, gone }: Patience, look: () => Promise<Item[]>): Promise<Item[]> {
    if (waitSeconds === 0) return look();
    const deadline = this.clock.monotonicMs() + waitSeconds * 1_000;
    // In line before the first look, so that no work can come in between unnoticed.
    const place = this.join(wanted, gone);
    try {
      for (;;) {
        // Who is gone, or about to be sent elsewhere, must not hold a claim.
        if (gone.aborted || this.draining.begun) return [];
        const items = await look();
        if (items.length > 0) return items;
        if (!(await place.wait(deadline - this.clock.monotonicMs()))) return [];
      }
    } finally {
      place.leave();
    }
  }

  private join(wanted: Wanted, gone: AbortSignal): Place {
    const waiter: Waiter = { wanted, wake: undefined, again: false, following: undefined, lookedAt: (this.looks += 1) };
    this.line.add(waiter);
    const hungUp = () => waiter.wake?.(false);
    gone.addEventListener('abort', hungUp);
    return {
      wait: (limitMs) => this.wait(waiter, limitMs, gone),
      leave: () => {
        gone.removeEventListener('abort', hungUp);
        this.line.delete(waiter);
        // Its signal may have been for more work than it took.
        if (waiter.again) this.wake(waiter.following, 1);
      },
    };
  }

  private async wait(waiter: Waiter, limitMs: number, gone: AbortSignal): Promise<boolean> {
    const over = () => this.closed || gone.aborted || limitMs <= 0;
    if (waiter.following !== undefined && waiter.wanted.narrow) this.wake(waiter.following, 1, waiter);
    waiter.following = undefined;
    if (over()) return false;
    if (!waiter.again) {
      const woken = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => woken.resolve(false), limitMs);
      waiter.wake = woken.resolve;
      const work = await woken.promise;
      waiter.wake = undefined;
      clearTimeout(timer);
      if (!work) return false;
    }
    waiter.again = false;
    waiter.lookedAt = this.looks += 1;
    return true;
  }

  /** Wakes up to `count` who want work of this organization, behind `after` in the line. */
  protected wake(organizationId: string | undefined, count: number, after?: Waiter): void {
    const idle: Waiter[] = [];
    const busy: Waiter[] = [];
    let behind = after === undefined;
    for (const waiter of this.line) {
      if (behind && wants(waiter, organizationId)) (waiter.wake ? idle : busy).push(waiter);
      behind ||= waiter === after;
    }
    // Whoever is looking just now may have looked too early.
    for (const waiter of [...idle, ...busy].slice(0, count)) rouse(waiter, organizationId);
  }

  protected wakeAll(): void {
    for (const waiter of this.line) rouse(waiter, undefined);
  }

  private wakeLongestUnseen(): void {
    const idle = [...this.line].filter(({ wake }) => wake);
    const [first] = idle.sort((a, b) => a.lookedAt - b.lookedAt);
    if (first) rouse(first, undefined);
  }

  private end(): void {
    this.closed = true;
    for (const waiter of this.line) waiter.wake?.(false);
  }
}

function wants({ wanted }: Waiter, organizationId: string | undefined): boolean {
  return organizationId === undefined || !wanted.organizationIds || wanted.organizationIds.includes(organizationId);
}

function rouse(waiter: Waiter, organizationId: string | undefined): void {
  waiter.following = organizationId;
  const { wake } = waiter;
  if (!wake) {
    waiter.again = true;
    return;
  }
  // At most one signal wakes it; the next finds it looking.
  waiter.wake = undefined;
  wake(true);
}
