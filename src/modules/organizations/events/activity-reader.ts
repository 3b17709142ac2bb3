import type { ReaderAccess } from '../../../kernel/auth/index.ts';
import type { EventStream } from '../../../kernel/http/index.ts';
import type { ActivityEventQuery, SnapshotReason } from './activity-event.dto.ts';
import { type Frame, isWanted, positionFrame, snapshotFrame } from './activity-frames.ts';
import type { Position } from './activity-position.ts';

/** Bytes that may wait in this process for one client; what comes beyond it reads from the log, once it has read these. */
const MAX_QUEUED_BYTES = 128 * 1024;
/** A client for which this many bytes wait, queued or left out, does not read: it is cut, and may reconnect. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** A client that took nothing of a full buffer for so long does not read either. */
const STALLED_MS = 60_000;
/** Entries that may be passed over before a client is told where it is, so that it need not pass over them again. */
const MAX_PASSED_OVER = 500;

/** The feed that a reader reads, which decides how it goes on. */
interface Feed {
  /** Reads for a reader what lies between its position and the feed's, page by page, and then takes it live. */
  catchUp(reader: ActivityReader): void;
  leave(reader: ActivityReader): void;
}

/** One client of an organization's log: its position, and what it wants to know of. */
export class ActivityReader {
  private stream: EventStream | undefined;
  private position: Position | undefined;
  /** Whether it gets frames of the feed as they come, not from the log. */
  private isLive = false;
  private passedOver = 0;
  /** Bytes of frames that were left out since it fell behind. */
  private missedBytes = 0;
  private stalledSinceMs: number | undefined;

  constructor(
    private readonly feed: Feed,
    readonly access: ReaderAccess,
    private readonly wanted: ActivityEventQuery,
  ) {}

  /** Where it is; undefined before it has begun. */
  get at(): Position | undefined {
    return this.position;
  }

  /** Whether it reads from the log what came before. */
  get isBehind(): boolean {
    return this.position !== undefined && !this.isLive;
  }

  /** Goes on from where the client was. */
  resume(stream: EventStream, position: Position): void {
    this.attach(stream);
    this.position = position;
    this.feed.catchUp(this);
  }

  /** Begins at a position of the feed. */
  start(stream: EventStream, position: Position, reason: SnapshotReason, at: string | null): void {
    this.attach(stream);
    this.startOver(position, reason, at);
  }

  /** Goes on at another position, from which nothing leads back to the client's. */
  startOver(position: Position, reason: SnapshotReason, at: string | null): void {
    this.write(snapshotFrame(position, reason, at));
    this.goLive(position);
  }

  /** Sends a frame of the feed that follows what it has; leaves it out while the client does not read. */
  deliver(frame: Frame): void {
    if (this.isLive && !this.hasBacklog) this.pass(frame);
    else if (this.stream && isWanted(frame, this.wanted)) this.skip(frame);
  }

  /** Sends a page that was read for it, behind which it is at `end`; the feed is there too if it `reaches` it. */
  take(frames: readonly Frame[], end: Position, { reaches }: { readonly reaches: boolean }): void {
    for (const frame of frames) this.pass(frame);
    this.position = end;
    if (reaches) return this.goLive(end);
    if (this.hasBacklog) return this.stall();
    this.missedBytes = 0;
    this.feed.catchUp(this);
  }

  /** Whether it has stood still for too long. */
  hasStalled(): boolean {
    return this.stalledSinceMs !== undefined && performance.now() - this.stalledSinceMs > STALLED_MS;
  }

  end(reason: string): void {
    this.stream?.end(reason);
  }

  cut(): void {
    this.stream?.cut();
  }

  private get hasBacklog(): boolean {
    return this.stream!.waitingBytes > MAX_QUEUED_BYTES;
  }

  private attach(stream: EventStream): void {
    this.stream = stream;
    stream.onClose(() => this.feed.leave(this));
    stream.onDrain(() => this.drained());
  }

  private goLive(position: Position): void {
    this.position = position;
    this.isLive = true;
    this.missedBytes = 0;
  }

  private pass(frame: Frame): void {
    this.position = frame.at;
    if (isWanted(frame, this.wanted)) this.write(frame.bytes);
    else if ((this.passedOver += 1) >= MAX_PASSED_OVER) this.write(positionFrame(frame.at));
  }

  private write(bytes: Buffer): void {
    this.stream!.write(bytes);
    this.passedOver = 0;
  }

  private skip(frame: Frame): void {
    this.isLive = false;
    if (this.hasBacklog) this.stall();
    this.missedBytes += frame.bytes.length;
    if (this.missedBytes + MAX_QUEUED_BYTES > MAX_WAITING_BYTES) this.cut();
  }

  private stall(): void {
    this.stalledSinceMs ??= performance.now();
  }

  private drained(): void {
    this.stalledSinceMs = undefined;
    this.missedBytes = 0;
    if (this.isBehind) this.feed.catchUp(this);
  }
}
