import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, mergeMap, NEVER, type Observable } from 'rxjs';
import { Config } from '../../../config/index.ts';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import { type Addend, Metrics } from '../../metrics/index.ts';
import { endTrace } from '../../tracing/index.ts';
import { Draining } from '../edge/index.ts';
import { logRequest, RequestMetrics } from '../requests/index.ts';
import { commentFrame, retryFrame } from './event-frame.ts';
import { EventStreamMetrics } from './event-stream.metrics.ts';
import { EventStream } from './event-stream.ts';

/** What the handler of an `events` route returns. */
export interface StreamedEvents {
  /** Called once, when the head of the answer is sent; the client may have gone by then, which `onClose` reports. */
  begin(stream: EventStream): void;
  /** Called when the stream could not begin, or failed while it began. */
  abandon(): void;
}

/** Shorter than the minute after which proxies close a silent connection. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = commentFrame('keep-alive');
/** Spread at random, so that the clients of a process that stops do not all reconnect at once. */
const RETRY_MS = { least: 1_000, most: 3_000 };
const RETRY_AFTER_SECONDS = 10;
const STOPPING = 'the service stops; reconnect';

/**
 * The open event streams of this process: limited in total and per subject, kept open by comments, ended when the
 * process stops.
 */
@Injectable()
export class EventStreams implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly open = new Set<EventStream>();
  private readonly placesOf = new Map<string, number>();
  private places = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly opened: Addend;
  private readonly cut: Addend;
  private readonly refused: Readonly<Record<'process' | 'subject', Addend>>;

  constructor(
    private readonly config: Config,
    private readonly draining: Draining,
    private readonly requests: RequestMetrics,
    metrics: Metrics,
  ) {
    metrics.gauge(EventStreamMetrics.open, () => this.open.size);
    this.opened = metrics.counter(EventStreamMetrics.opened);
    this.cut = metrics.counter(EventStreamMetrics.cut);
    const refused = (reason: keyof typeof this.refused) => metrics.counter(EventStreamMetrics.refused, { reason });
    this.refused = { process: refused('process'), subject: refused('subject') };
  }

  onApplicationBootstrap(): void {
    this.draining.onBegin(() => this.endAll());
    this.timer = setInterval(() => this.keepAlive(), KEEP_ALIVE_MS).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
    this.endAll();
  }

  /** Number of open streams. */
  get count(): number {
    return this.open.size;
  }

  /** Runs a handler and streams what it returns; answers what it throws as any other route does. Never emits. */
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
      // Runs only when the handler failed; an open stream gives its place back when it closes.
      finalize(leave),
    );
  }

  private begin(request: FastifyRequest, reply: FastifyReply, events: StreamedEvents, leave: () => void): void {
    const stream = EventStream.open(reply, this.cut);
    this.open.add(stream);
    this.opened.inc();
    stream.onClose(() => {
      this.open.delete(stream);
      leave();
    });
    try {
      logRequest(request, reply);
      endTrace(request, reply);
      this.requests.observe(request, reply);
      stream.write(retryFrame(RETRY_MS.least + Math.floor(Math.random() * (RETRY_MS.most - RETRY_MS.least))));
      events.begin(stream);
      // Not refused, because a browser does not reconnect after an answer of 503.
      if (this.draining.begun) stream.end(STOPPING);
    } catch (error) {
      stream.cut();
      throw error;
    }
  }

  /** Takes a place; the returned function gives it back, once. */
  private take(subject: string): () => void {
    const { max, perSubject } = this.config.eventStreams;
    const own = this.placesOf.get(subject) ?? 0;
    if (this.places >= max)
      throw this.refusal('process', 'This process has too many open event streams; try again later.');
    if (own >= perSubject) throw this.refusal('subject', 'You have too many open event streams; close one first.');
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

  private refusal(reason: keyof typeof this.refused, message: string): ApiError {
    this.refused[reason].inc();
    const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
    return new ApiError(EdgeErrors.serviceUnavailable, { message, headers });
  }

  /** Writes a comment to every stream that is silent; one with unsent bytes needs none. */
  private keepAlive(): void {
    for (const stream of this.open) if (stream.waitingBytes === 0) stream.write(KEEP_ALIVE);
  }

  private endAll(): void {
    for (const stream of this.open) stream.end(STOPPING);
  }
}

function subjectOf({ identity }: FastifyRequest): string {
  return identity?.kind === 'owner' ? identity.subject : (identity?.kind ?? '');
}
