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
  /** `served` are the organizations of which it took something. */
  leave(served: readonly string[]): void;
}

interface Signal {
  /** Undefined where it may be any. */
  readonly organizationId: string | undefined;
}

interface Waiter {
  readonly wanted: Wanted;
  /** Set while it waits; it looks for work otherwise. */
  wake: ((work: boolean) => void) | undefined;
  /** The organization whose signal it is following. */
  following: string | undefined;
  /** A signal that came while it looked. */
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
  async take<Item>(
    wanted: Wanted,
    { waitSeconds, gone }: Patience,
    look: () => Promise<Item[]>,
    organizationOf: (item: Item) => string,
  ): Promise<Item[]> {
    if (waitSeconds === 0) return look();
    const deadline = this.clock.monotonicMs() + waitSeconds * 1_000;
    // In line before the first look, so that no work can come in between unnoticed.
    const place = this.join(wanted, gone);
    let items: Item[] = [];
    try {
      for (;;) {
        // Who is gone, or about to be sent elsewhere, must not hold a claim.
        if (gone.aborted || this.draining.begun) return [];
        items = await look();
        if (items.length > 0) return items;
        if (!(await place.wait(deadline - this.clock.monotonicMs()))) return [];
      }
    } finally {
      place.leave(items.map(organizationOf));
    }
  }

  /** Told of one who followed an organization's signal and left without anything of it. */
  protected abstract leftUnserved(organizationId: string): void;

  private join(wanted: Wanted, gone: AbortSignal): Place {
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
   * Wakes up to `count` who want such work, behind `after` in the line. Answers how many of them were waiting and take
   * whatever there is.
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

/** At most one signal wakes it; the next finds it looking. */
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
