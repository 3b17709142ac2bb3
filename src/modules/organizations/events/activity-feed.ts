import { Logger } from '@nestjs/common';
import { CoalescedWork } from '../../../kernel/bus/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { EventStream } from '../../../kernel/http/index.ts';
import type { SnapshotReason } from './activity-event.dto.ts';
import { eventIdOf } from './activity-event-id.ts';
import { type LogEnd, type LoggedEntry, TRANSACTIONS_OF_CLUSTER } from './activity-events.queries.ts';
import { entryFrame, type Frame } from './activity-frames.ts';
import { covers, type Position } from './activity-position.ts';
import type { ActivityReader } from './activity-reader.ts';
import { type LogReads, readPage } from './log-page.ts';

/** Entries in one read. */
const PAGE = 200;
/** Least time between reads that hints ask for; what is written meanwhile is read together. */
const READ_EVERY_MS = 20;

/** Reads for a feed, and drops it. Reads fail with a 404 once the organization is gone. */
interface FeedSource extends LogReads<LoggedEntry> {
  /** Where the log ends now. */
  end(): Promise<LogEnd>;
  forget(feed: ActivityFeed): void;
}

/** Where a new reader begins. */
export type ReaderStart = { readonly resumeAt: Position } | { readonly reason: SnapshotReason };

/** Where a log ends, as a feed begins there. */
export interface Standing {
  readonly position: Position;
  readonly newestAt: string | null;
}

/**
 * Passes the entries of one organization's log on to all its readers in this process. Reads one statement at a time,
 * however many readers there are: new entries for all that are live, and in between a page for those that are behind at
 * one position.
 */
export class ActivityFeed {
  private readonly logger = new Logger('ActivityFeed');
  private readonly readers = new Set<ActivityReader>();
  private readonly catchingUp = new Set<ActivityReader>();
  /** Undefined until the first reader's own read tells it. */
  private reached: Standing | undefined;
  private isNewsExpected = false;
  private newsTimer: NodeJS.Timeout | undefined;
  private lastReadMs = Number.NEGATIVE_INFINITY;
  private endReason: string | undefined;
  private readonly work = new CoalescedWork(() => this.run());

  constructor(
    readonly organizationId: string,
    private readonly source: FeedSource,
  ) {}

  get members(): Iterable<ActivityReader> {
    return this.readers;
  }

  /** The position that the feed has reached; undefined until it is known. */
  get position(): Position | undefined {
    return this.reached?.position;
  }

  join(reader: ActivityReader): void {
    this.readers.add(reader);
  }

  /** Takes a reader that has read where the log ends. */
  admit(reader: ActivityReader, stream: EventStream, start: ReaderStart, standing: Standing): void {
    if (!this.reached) {
      this.reached = standing;
      // What came since that read.
      this.expectNews();
    } else if (clusterOf(standing.position) > clusterOf(this.reached.position)) this.startOverAt(standing);
    if ('resumeAt' in start) reader.resume(stream, start.resumeAt);
    else reader.start(stream, this.reached.position, start.reason, this.reached.newestAt);
    if (this.endReason !== undefined) reader.end(this.endReason);
  }

  leave(reader: ActivityReader): void {
    this.readers.delete(reader);
    this.catchingUp.delete(reader);
    if (this.readers.size > 0) return;
    clearTimeout(this.newsTimer);
    this.source.forget(this);
  }

  /** There may be new entries. Reads at once, or soon after the read before. */
  expectNews(): void {
    this.newsTimer ??= setTimeout(
      () => {
        this.newsTimer = undefined;
        this.isNewsExpected = true;
        this.work.request();
      },
      Math.max(0, this.lastReadMs + READ_EVERY_MS - performance.now()),
    );
  }

  catchUp(reader: ActivityReader): void {
    this.catchingUp.add(reader);
    this.work.request();
  }

  /** Begins anew where the log ends now, if it has been brought into this cluster meanwhile. */
  async moveTo(cluster: number): Promise<void> {
    if (clusterOf(this.reached!.position) >= cluster) return;
    try {
      this.startOverAt(standingOf(await this.source.end()));
    } catch (error) {
      this.onFailedRead(error);
    }
  }

  end(reason: string): void {
    this.endReason = reason;
    this.source.forget(this);
    for (const reader of this.readers) reader.end(reason);
  }

  /** Begins anew for all readers: nothing leads there from where they are. */
  private startOverAt(standing: Standing): void {
    this.reached = standing;
    this.catchingUp.clear();
    for (const reader of this.readers)
      if (reader.at) reader.startOver(standing.position, 'unknown_position', standing.newestAt);
    this.expectNews();
  }

  private async run(): Promise<void> {
    if (!this.reached || this.endReason !== undefined) return;
    try {
      if (this.isNewsExpected) await this.readNews();
      const [first] = this.catchingUp;
      if (first) await this.readFor(first);
      if (this.catchingUp.size > 0) this.work.request();
    } catch (error) {
      this.onFailedRead(error);
    }
  }

  /** Reads new entries for all, to the end of what is visible. */
  private async readNews(): Promise<void> {
    this.isNewsExpected = false;
    for (let isCut = true; isCut && this.readers.size > 0;) {
      const { position } = this.reached!;
      const { steps, end, isWhole } = await readPage(this.source, position, PAGE);
      if (this.reached!.position !== position) return;
      const newestAt = steps.at(-1)?.row.at ?? this.reached!.newestAt;
      this.reached = { position: end, newestAt };
      for (const frame of steps.map(entryFrame)) for (const reader of this.readers) reader.deliver(frame);
      isCut = !isWhole;
    }
    this.lastReadMs = performance.now();
  }

  /** Reads a page for a reader that is behind, and for all others that are at the same position. */
  private async readFor(first: ActivityReader): Promise<void> {
    const group = [...this.catchingUp].filter(({ at }) => isSame(at!, first.at!));
    for (const reader of group) this.catchingUp.delete(reader);
    const behind = group.filter(({ isBehind }) => isBehind);
    if (behind.length === 0) return;
    try {
      await this.takeOn(behind, first.at!);
    } catch (error) {
      // Their clients reconnect, and say where they are.
      for (const reader of behind) reader.cut();
      throw error;
    }
  }

  private async takeOn(behind: readonly ActivityReader[], position: Position): Promise<void> {
    const isInside = position.begun.length > 0;
    // A client that was further on elsewhere: this process has not read yet what it has seen.
    if (!isInside && !covers(this.reached!.position, position)) await this.readNews();
    const until = this.reached!;
    if (!isInside && !covers(until.position, position)) {
      for (const reader of behind) reader.startOver(until.position, 'unknown_position', until.newestAt);
      return;
    }
    const { steps, end, isWhole } = await readPage(this.source, position, PAGE, until.position);
    // The log was left for another one meanwhile.
    if (this.reached !== until) return;
    const frames: readonly Frame[] = steps.map(entryFrame);
    for (const reader of behind) reader.take(frames, isWhole ? until.position : end, { reaches: isWhole });
  }

  /** Leaves what was not read to the next hint, or to the next look at all logs. */
  private onFailedRead(error: unknown): void {
    if (error instanceof ApiError) this.end('the organization is gone');
    else this.logger.warn(`the activity of ${this.organizationId} was not read: ${(error as Error).message}`);
  }
}

function isSame(position: Position, other: Position): boolean {
  return position === other || (position.last !== null && eventIdOf(position) === eventIdOf(other));
}

/** The number of the cluster that a position is of. */
function clusterOf({ next }: Position): number {
  return Math.floor(next / TRANSACTIONS_OF_CLUSTER);
}

/** The position of a reader that has all of a log, behind its newest entry. */
export function standingOf({ open, cluster, newest, newestId, newestAt }: LogEnd): Standing {
  const next = Math.max(cluster! * TRANSACTIONS_OF_CLUSTER, (newest ?? 0) + 1);
  return {
    position: {
      next,
      open: open.filter((transaction) => transaction < next),
      begun: [],
      last: newest === null ? null : { writtenIn: newest, id: newestId! },
    },
    newestAt,
  };
}
