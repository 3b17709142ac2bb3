import type { ReaderAccess } from '../../../kernel/auth/index.ts';
import type { EventStream } from '../../../kernel/http/index.ts';
import { type Frame, continuesFrom, isBefore, type Position } from './chat-frames.ts';

/**
 * Bytes that may wait in this process for one client, beside a snapshot that it is still taking; frames beyond are left
 * out.
 */
const MAX_QUEUED_BYTES = 128 * 1024;
/** A client for which this many bytes wait, queued or left out, does not read: it is cut, and may reconnect. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Where a reader begins, and the frames that lead from there to where the chat is. */
export interface ReaderStart {
  readonly position: Position | undefined;
  readonly frames: readonly Frame[];
}

/** The feed that a reader reads, which decides how it goes on. */
interface Feed {
  /** Reads for a reader, which holds frames meanwhile, and takes it to where the chat is. */
  catchUp(reader: ChatReader): void;
  leave(reader: ChatReader): void;
}

/** One client of a chat: its position, and the frames that it must get next. */
export class ChatReader {
  private stream: EventStream | undefined;
  private position: Position | undefined;
  /** Frames that came while the feed reads for it; undefined while it gets them at once. */
  private held: Frame[] | undefined = [];
  /** Bytes of the frames that were held, or left out since it fell behind. */
  private missedBytes = 0;
  private snapshotBytes = 0;

  constructor(
    private readonly feed: Feed,
    readonly access: ReaderAccess,
  ) {}

  get at(): Position | undefined {
    return this.position;
  }

  begin(stream: EventStream, { position, frames }: ReaderStart): void {
    this.stream = stream;
    this.position = position;
    stream.onClose(() => this.feed.leave(this));
    stream.onDrain(() => this.drained());
    this.resume(frames);
  }

  /** Sends a frame in order; leaves out one that it has already. */
  deliver(frame: Frame): void {
    if (this.held) this.hold(frame);
    else if (this.position && !isBefore(this.position, frame.at)) return;
    else if (this.missedBytes > 0 || this.hasBacklog) this.skip(frame);
    else if (continuesFrom(frame, this.position)) this.send(frame);
    else this.catchUp();
  }

  /** Sends the frames that were read for it, and those that came meanwhile. */
  resume(frames: readonly Frame[]): void {
    const held = this.held ?? [];
    this.held = undefined;
    this.missedBytes = 0;
    for (const frame of frames) if (!this.position || isBefore(this.position, frame.at)) this.send(frame);
    this.snapshotBytes = this.stream!.waitingBytes;
    for (const frame of held) this.deliver(frame);
  }

  /** Whether it is before this position, and no read for it is under way. */
  isLagging(position: Position): boolean {
    const isLive = this.stream !== undefined && !this.held && this.missedBytes === 0;
    return isLive && (!this.position || isBefore(this.position, position));
  }

  catchUp(): void {
    this.held = [];
    this.missedBytes = 0;
    this.feed.catchUp(this);
  }

  end(reason: string): void {
    this.stream?.end(reason);
  }

  cut(): void {
    this.stream?.cut();
  }

  private get hasBacklog(): boolean {
    return this.stream!.waitingBytes > this.snapshotBytes + MAX_QUEUED_BYTES;
  }

  private send(frame: Frame): void {
    this.stream!.write(frame.bytes);
    this.position = frame.at;
  }

  /** Holds a frame; one that does not fit is missing afterwards, and so read again. */
  private hold(frame: Frame): void {
    this.missedBytes += frame.bytes.length;
    if (this.missedBytes <= MAX_WAITING_BYTES) this.held!.push(frame);
  }

  private skip(frame: Frame): void {
    this.missedBytes += frame.bytes.length;
    if (this.missedBytes + MAX_QUEUED_BYTES > MAX_WAITING_BYTES) this.cut();
  }

  private drained(): void {
    this.snapshotBytes = 0;
    if (this.missedBytes > 0 && !this.held) this.catchUp();
  }
}
