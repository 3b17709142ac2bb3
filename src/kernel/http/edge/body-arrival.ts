import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import { cutLateRequest } from './connection-errors.ts';

/** How long a body may take to arrive, in milliseconds. */
export interface ArrivalLimits {
  /** Without a byte; noticed a quarter later at most. */
  readonly quietMs: number;
  /** In all, for JSON. */
  readonly jsonMs: number;
  /** In all, for the bytes of a `raw` route. */
  readonly uploadMs: number;
}

const WITHOUT_BODY = new Set(['GET', 'HEAD']);
/** Looks at a body that arrives, in a period without a byte. */
const LOOKS = 4;

/**
 * Decides of a body before a byte of it is read, and bounds how long it takes to come: 413 by its declared length, even
 * before the `100 Continue` that a client waits for; 408 once no byte came for a while. Node's own bound is one for all
 * requests, and what is long for JSON is short for 50 MB over a slow line.
 */
export function boundBodies(fastify: FastifyInstance, limits: ArrivalLimits): void {
  const arrivals = new Arrivals(limits);
  fastify.addHook('onClose', (_fastify, done) => {
    arrivals.stop();
    done();
  });
  // Node would answer 100 by itself, before anything was looked at.
  fastify.server.on('checkContinue', (request, response) => fastify.server.emit('request', request, response));
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    refuseTooLong(request);
    if (request.raw.headers.expect !== undefined) invite(request, reply);
    if (isArriving(request.raw)) arrivals.bound(request);
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    // Refused before it was there: the rest is dropped so that the client can read why, but not for ever.
    if (isArriving(request.raw)) cutUnlessComplete(request.raw, limits.quietMs);
    done();
  });
}

function refuseTooLong({ raw, routeOptions }: FastifyRequest): void {
  const { 'content-length': declared } = raw.headers;
  if (declared === undefined || WITHOUT_BODY.has(raw.method!)) return;
  const limit = limitOf(routeOptions);
  if (Number(declared) > limit) throw new ApiError(EdgeErrors.payloadTooLarge);
}

/** Requests that never were on a connection, as those of tests, do not say whether they are complete. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  if ((complete as boolean | undefined) !== false) return false;
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Of a stream that its route does not bound there is none. */
function limitOf({ config: { endpoint }, bodyLimit }: FastifyRequest['routeOptions']): number {
  return endpoint?.raw ? (endpoint.bodyLimitBytes ?? Infinity) : bodyLimit;
}

/** `Expect` says nothing else here: other expectations are refused, and HTTP/1.0 knows none. */
function invite({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.httpVersionMajor > 1 || raw.httpVersionMinor > 0) reply.raw.writeContinue();
}

interface Arrival {
  readonly begunAt: number;
  readonly allMs: number;
  seenAt: number;
  /** Bytes of the connection that had been read then. */
  seen: number;
}

/** The bodies that are on their way. One timer looks at all of them, since small calls are many. */
class Arrivals {
  private readonly arrivals = new Map<IncomingMessage, Arrival>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly limits: ArrivalLimits) {
    this.timer = setInterval(() => this.look(), limits.quietMs / LOOKS).unref();
  }

  bound({ raw, routeOptions }: FastifyRequest): void {
    const { jsonMs, uploadMs } = this.limits;
    const allMs = routeOptions.config.endpoint?.raw ? uploadMs : jsonMs;
    const begunAt = performance.now();
    this.arrivals.set(raw, { begunAt, allMs, seenAt: begunAt, seen: raw.socket.bytesRead });
    raw.once('close', () => this.arrivals.delete(raw));
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const nowMs = performance.now();
    for (const [raw, arrival] of this.arrivals) {
      const { bytesRead } = raw.socket;
      // Bytes that lie here are ours to take: it is the store that is slow and not the client.
      if (bytesRead !== arrival.seen || raw.readableLength > 0) arrival.seenAt = nowMs;
      arrival.seen = bytesRead;
      const isLate = nowMs - arrival.seenAt >= this.limits.quietMs || nowMs - arrival.begunAt >= arrival.allMs;
      if (!raw.complete && !isLate) continue;
      this.arrivals.delete(raw);
      if (!raw.complete) cutLateRequest(raw.socket);
    }
  }
}

function cutUnlessComplete(raw: IncomingMessage, afterMs: number): void {
  const timer = setTimeout(() => raw.socket.destroy(), afterMs).unref();
  raw.once('close', () => clearTimeout(timer));
}
