import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, mergeMap, NEVER, type Observable } from 'rxjs';
import { Config } from '../../../config/index.ts';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import { Draining, logRequest } from '../edge/index.ts';
import { commentFrame, retryFrame } from './event-frame.ts';
import { EventStream } from './event-stream.ts';

/** What the handler of an `events` route returns. */
export interface StreamedEvents {
  /** Called once, when the head of the answer is out; the client may be gone by then, which `onClose` tells. */
  begin(stream: EventStream): void;
  /** Called where the stream could not begin, or broke while it did. */
  abandon(): void;
}

/** Shorter than the minute after which proxies give up a connection on which nothing comes. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = commentFrame('keep-alive');
/** Clients come back at moments of their own, so that those of a process that stops do not all knock at once. */
const RETRY_MS = { least: 1_000, most: 3_000 };
const RETRY_AFTER_SECONDS = 10;
const STOPPING = 'the service stops; come back';

/**
 * The open event streams of this process: at most so many in all and of one subject, kept open by comments, ended when
 * the process stops.
 */
@Injectable()
export class EventStreams implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly open = new Set<EventStream>();
  private readonly placesOf = new Map<string, number>();
  private places = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly draining: Draining,
  ) {}

  onApplicationBootstrap(): void {
    this.draining.onBegin(() => this.endAll());
    this.timer = setInterval(() => this.keepAlive(), KEEP_ALIVE_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    this.endAll();
  }

  /** How many there are just now. */
  get count(): number {
    return this.open.size;
  }

  /** Runs a handler and streams what it returns; what it throws is answered as of any other route. Never emits. */
  serve(request: FastifyRequest, reply: FastifyReply, handler: Observable<unknown>): Observable<never> {
    const leave = this.take(subjectOf(request));
    return handler.pipe(
      mergeMap((returned) => {
        const events = returned as StreamedEvents;
        try {
          this.begin(request, reply, events, leave);
        } catch (error) {
          events.abandon();
          throw error;
        }
        return NEVER;
      }),
      // What streams never gets here; its place is given back when it closes.
      finalize(leave),
    );
  }

  private begin(request: FastifyRequest, reply: FastifyReply, events: StreamedEvents, leave: () => void): void {
    const stream = EventStream.open(reply);
    this.open.add(stream);
    stream.onClose(() => {
      this.open.delete(stream);
      leave();
    });
    try {
      logRequest(request, reply);
      stream.write(retryFrame(RETRY_MS.least + Math.floor(Math.random() * (RETRY_MS.most - RETRY_MS.least))));
      events.begin(stream);
      // It may have begun to stop while the handler worked.
      if (this.draining.begun) stream.end(STOPPING);
    } catch (error) {
      stream.cut();
      throw error;
    }
  }

  /** Takes a place; what it returns gives it back, once. */
  private take(subject: string): () => void {
    const { max, perSubject } = this.config.eventStreams;
    const own = this.placesOf.get(subject) ?? 0;
    if (this.draining.begun) throw refusal(EdgeErrors.serviceUnavailable.message);
    if (this.places >= max) throw refusal('There are too many event streams.');
    if (own >= perSubject) throw refusal('You have too many event streams.');
    this.places += 1;
    this.placesOf.set(subject, own + 1);
    let taken = true;
    return () => {
      if (taken) this.giveBack(subject);
      taken = false;
    };
  }

  private giveBack(subject: string): void {
    this.places -= 1;
    const left = this.placesOf.get(subject)! - 1;
    if (left > 0) this.placesOf.set(subject, left);
    else this.placesOf.delete(subject);
  }

  /** Those that have something to send, or do not read, need none. */
  private keepAlive(): void {
    for (const stream of this.open) if (stream.waitingBytes === 0) stream.write(KEEP_ALIVE);
  }

  private endAll(): void {
    for (const stream of this.open) stream.end(STOPPING);
  }
}

function refusal(message: string): ApiError {
  const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
  return new ApiError(EdgeErrors.serviceUnavailable, { message, headers });
}

function subjectOf({ principal }: FastifyRequest): string {
  return principal?.kind === 'owner' ? principal.subject : (principal?.kind ?? '');
}
