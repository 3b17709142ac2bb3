import { Logger } from '@nestjs/common';
import { CoalescedWork } from '../../../kernel/bus/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { EventStream } from '../../../kernel/http/index.ts';
import type { Delta, AnswerRow, Seen } from './chat-events.queries.ts';
import { deltaFrame, type Frame, framesFrom, isBefore, type Position, snapshotsOf } from './chat-frames.ts';
import type { ChatReader, ReaderStart } from './chat-reader.ts';
import type { MessageSignal } from '../chat-signals.service.ts';

/**
 * How long a feed waits for a missing revision before it reads: appends of one message may go through two processes.
 */
const REORDER_WAIT_MS = 100;

/** Reads for a feed, and drops it. */
interface FeedSource {
  /**
   * Reads the answers from the one seen on; the latest where none was seen. 404 once the chat or its organization is
   * gone.
   */
  read(seen: Seen | undefined): Promise<readonly AnswerRow[]>;
  /** Drops a feed that has no reader left, or whose chat is gone. */
  forget(feed: ChatFeed): void;
}

/**
 * Passes the changes of one chat on to all its readers in this process. An append whose signal has its text goes
 * without the database, encoded once; any other change is read once for all readers.
 */
export class ChatFeed {
  private readonly logger = new Logger('ChatFeed');
  private readonly readers = new Set<ChatReader>();
  private readonly catchingUp = new Set<ChatReader>();
  /** Whether `position` is known: the first reader's own read tells it. */
  private isKnown = false;
  /** The newest frame that was passed on; undefined before the first answer. */
  private position: Position | undefined;
  /** Appends to this message whose predecessor is still missing. */
  private readonly early = new Map<number, Delta>();
  private earlyOf: string | undefined;
  /** The newest revision that a hint told of. */
  private expected: Seen | undefined;
  private lateTimer: NodeJS.Timeout | undefined;
  private endReason: string | undefined;
  private readonly changes = new CoalescedWork(() => this.readChanges());
  private readonly snapshots = new CoalescedWork(() => this.readSnapshots());

  constructor(
    readonly organizationId: string,
    readonly chatId: string,
    private readonly source: FeedSource,
  ) {}

  get members(): Iterable<ChatReader> {
    return this.readers;
  }

  /** The revision that the feed has reached; undefined until the first read. */
  get standing(): { readonly messageId: string | null; readonly revision: number } | undefined {
    return this.isKnown ? (this.position ?? { messageId: null, revision: 0 }) : undefined;
  }

  /** Adds a reader, which misses nothing from here on: it holds frames until its own read has answered. */
  join(reader: ChatReader): void {
    this.readers.add(reader);
  }

  /** Takes a reader live. `standing` is where its read found the chat. */
  admit(reader: ChatReader, stream: EventStream, start: ReaderStart, standing: Position | undefined): void {
    if (!this.isKnown) {
      this.isKnown = true;
      this.position = standing;
      this.broadcastEarly();
    }
    reader.begin(stream, start);
    if (this.endReason === undefined) this.catchUpLagging();
    else reader.end(this.endReason);
  }

  leave(reader: ChatReader): void {
    this.readers.delete(reader);
    this.catchingUp.delete(reader);
    if (this.readers.size > 0) return;
    clearTimeout(this.lateTimer);
    this.source.forget(this);
  }

  receive({ messageId, revision, delta }: MessageSignal): void {
    const { position } = this;
    const isAppend = delta !== null && (!this.isKnown || position?.messageId === messageId);
    if (position?.messageId === messageId && revision <= position.revision) return;
    if (isAppend) {
      if (this.earlyOf !== messageId) this.early.clear();
      this.earlyOf = messageId;
      this.early.set(revision, { revision, ...delta });
      this.broadcastEarly();
    } else if (this.isKnown) this.changes.request();
    else this.expect({ messageId, revision });
  }

  /** Notes that the database has reached a revision whose signal may still be on its way. */
  expect(seen: Seen): void {
    this.expected = seen;
    this.wait();
  }

  catchUp(reader: ChatReader): void {
    this.catchingUp.add(reader);
    this.snapshots.request();
  }

  end(reason: string): void {
    this.endReason = reason;
    this.source.forget(this);
    for (const reader of this.readers) reader.end(reason);
  }

  /** Passes on the appends that follow, and waits for those that are missing in between. */
  private broadcastEarly(): void {
    for (let next = this.nextEarly; next; next = this.nextEarly) this.broadcast(deltaFrame(this.position!, next));
    this.wait();
  }

  private get nextEarly(): Delta | undefined {
    const { position } = this;
    return position && position.messageId === this.earlyOf ? this.early.get(position.revision + 1) : undefined;
  }

  private broadcast(frame: Frame): void {
    this.position = frame.at;
    this.early.delete(frame.at.revision);
    for (const reader of this.readers) reader.deliver(frame);
  }

  private wait(): void {
    if (this.isKnown && this.isMissing) this.lateTimer ??= setTimeout(() => this.readIfMissing(), REORDER_WAIT_MS);
  }

  private get isMissing(): boolean {
    const { position, expected, early } = this;
    if (early.size > 0) return true;
    if (!expected) return false;
    return position?.messageId !== expected.messageId || position.revision < expected.revision!;
  }

  private readIfMissing(): void {
    this.lateTimer = undefined;
    if (this.isMissing) this.changes.request();
  }

  private async readChanges(): Promise<void> {
    try {
      const rows = await this.source.read(this.position);
      for (const frame of framesFrom(this.position, rows)) this.broadcast(frame);
      this.expected = undefined;
      this.forgetEarly();
      this.broadcastEarly();
    } catch (error) {
      this.onFailedRead(error);
    }
  }

  /** Drops appends that a read has overtaken. */
  private forgetEarly(): void {
    const { position } = this;
    if (position?.messageId !== this.earlyOf) this.early.clear();
    for (const revision of this.early.keys()) if (revision <= position!.revision) this.early.delete(revision);
  }

  /** Reads for all readers that fell behind, from the oldest answer that one of them has. */
  private async readSnapshots(): Promise<void> {
    const readers = [...this.catchingUp];
    this.catchingUp.clear();
    const positions = readers.flatMap(({ at }) => (at ? [at] : []));
    const [oldest] = positions.sort((one, other) => (isBefore(one, other) ? -1 : 1));
    try {
      const rows = await this.source.read(oldest && { messageId: oldest.messageId, revision: null });
      const frames = snapshotsOf(rows);
      for (const reader of readers) reader.resume(frames);
      this.catchUpLagging();
    } catch (error) {
      this.onFailedRead(error);
      // Their clients reconnect, and say where they are.
      for (const reader of readers) reader.cut();
    }
  }

  /** Sends readers to a new read that went live with more frames missed than they could hold. */
  private catchUpLagging(): void {
    for (const reader of this.readers) if (this.position && reader.isLagging(this.position)) reader.catchUp();
  }

  /** Leaves what was not read to the next check of the chat. */
  private onFailedRead(error: unknown): void {
    if (error instanceof ApiError) this.end('the chat is gone');
    else this.logger.warn(`chat ${this.chatId} was not read: ${(error as Error).message}`);
  }
}
