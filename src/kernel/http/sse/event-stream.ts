import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Addend } from '../../metrics/index.ts';
import { commentFrame } from './event-frame.ts';

/** Keep proxies from caching the stream and from buffering it. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  connection: 'close',
};

/** How long the last bytes may take to be sent when a stream ends; a client that does not read would keep it open. */
const LINGER_MS = 1_000;

/** One open answer of `text/event-stream`. While the client does not read, what is written waits in this process. */
export class EventStream {
  private constructor(
    private readonly raw: ServerResponse,
    private readonly cuts: Addend,
  ) {}

  /**
   * Sends the head. The body ends with its connection and is not chunked, so that a frame is one write of the same
   * bytes for every client (measured for 1,000 clients: 11 to 13 µs of CPU per frame and client, with chunks 16 to 18).
   * Keeps the headers that hooks set, such as the request id. Fastify owns the answer until the head is sent, so that a
   * failure before is answered as an error.
   */
  static open(reply: FastifyReply, cuts: Addend): EventStream {
    const { raw } = reply;
    raw.removeHeader('transfer-encoding');
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    reply.hijack();
    forgetRequest(raw);
    raw.flushHeaders();
    return new EventStream(raw, cuts);
  }

  /** Bytes in this process that are not yet handed to the kernel for the client. */
  get waitingBytes(): number {
    return this.raw.writableLength;
  }

  get over(): boolean {
    return this.raw.writableEnded || this.raw.destroyed;
  }

  write(frames: Uint8Array): void {
    if (!this.over) this.raw.write(frames);
  }

  /** Ends the stream with a comment that says why. */
  end(why: string): void {
    if (this.over) return;
    this.raw.end(commentFrame(why));
    setTimeout(() => this.cut(), LINGER_MS).unref();
  }

  /** Closes the connection in the middle; what waits for the client is lost. */
  cut(): void {
    if (!this.over) this.cuts.inc();
    this.raw.destroy();
  }

  /** Calls `handler` whenever a full buffer has emptied. */
  onDrain(handler: () => void): void {
    this.raw.on('drain', handler);
  }

  /** Calls `handler` once when the stream has closed, whether by client or service; at once if it is closed already. */
  onClose(handler: () => void): void {
    if (this.raw.closed) handler();
    else this.raw.on('close', handler);
  }
}

/**
 * Removes Fastify's listeners for the end of the answer, which keep request and reply in memory: 1.5 of the 8.5 KB of a
 * stream.
 */
function forgetRequest(raw: ServerResponse): void {
  for (const listener of raw.listeners('error') as (() => void)[]) raw.off('error', listener).off('finish', listener);
  // A broken connection is reported by `close` too.
  raw.on('error', ignore);
}

function ignore(): void {}
