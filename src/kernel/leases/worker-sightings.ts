import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { inBackground } from '../admission/index.ts';
import { Transactions } from '../database/index.ts';
import { noteWorkers, type Sighting } from './worker.queries.ts';

/** What a claim takes, beside its worker. */
export interface ClaimFilters {
  readonly kind: 'runs' | 'turns';
  readonly filters: Readonly<Record<string, readonly string[] | null>>;
}

interface Seen {
  bootId: string;
  runs: string | null;
  turns: string | null;
  seenMs: number;
  /** When the worker was seen for what stands in the database. */
  notedMs: number;
}

/** Least time between two notes of a worker by one process. */
const NOTE_MS = 60_000;
/** How long sightings wait to share a statement. */
const GATHERING_MS = 1_000;
/** Most workers that a process remembers; those beyond are not written down. */
const MOST = 10_000;

/**
 * Which workers claim work. A claim costs a look into memory; all new sightings of a process are one statement a second at
 * most, and a worker is in it once a minute at most. So what stands in the database is about a minute old, and a sighting
 * that could not be written is made up for by a later one.
 */
@Injectable()
export class WorkerSightings implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Workers');
  private readonly seen = new Map<string, Seen>();
  private timer: NodeJS.Timeout | undefined;
  private noting: Promise<void> | undefined;
  private failing = false;

  constructor(private readonly transactions: Transactions) {}

  /** Takes note of a claim. */
  claims(worker: { readonly workerId: string; readonly bootId: string }, { kind, filters }: ClaimFilters): void {
    const { workerId, bootId } = worker;
    let seen = this.seen.get(workerId);
    if (!seen || seen.bootId !== bootId) {
      if (!seen && this.seen.size >= MOST) return;
      seen = { bootId, runs: null, turns: null, seenMs: 0, notedMs: seen?.notedMs ?? -Infinity };
      this.seen.set(workerId, seen);
    }
    seen[kind] = JSON.stringify(filters);
    seen.seenMs = performance.now();
    if (isDue(seen)) this.timer ??= setTimeout(() => void this.note(), GATHERING_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.noting;
  }

  private async note(): Promise<void> {
    this.noting = this.noteDue().then(
      () => void (this.failing = false),
      (error: Error) => {
        if (!this.failing) this.logger.warn(`cannot note which workers claim work: ${error.message}`);
        this.failing = true;
      },
    );
    await this.noting;
    this.timer = undefined;
  }

  private async noteDue(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.seen].filter(([, seen]) => isDue(seen));
    const sightings = due.map(([workerId, { bootId, seenMs, runs, turns }]): Sighting => {
      return { workerId, bootId, ageMs: Math.round(nowMs - seenMs), runFilters: runs, turnFilters: turns };
    });
    await inBackground(() => this.transactions.dispatchBatch([noteWorkers(sightings)]));
    for (const { workerId, ageMs } of sightings) this.seen.get(workerId)!.notedMs = nowMs - ageMs;
    for (const [workerId, { seenMs }] of this.seen) if (nowMs - seenMs > 2 * NOTE_MS) this.seen.delete(workerId);
  }
}

/** Whether it was seen again long enough after what was noted. */
function isDue({ seenMs, notedMs }: Seen): boolean {
  return seenMs - notedMs >= NOTE_MS;
}
