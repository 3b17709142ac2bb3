import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import { cutLateRequest } from './connection-errors.ts';

/** Limits in milliseconds for how long a body may take to arrive. */
export interface ArrivalLimits {
  /** Longest pause without a byte; detected at most a quarter of it late. */
  readonly quietMs: number;
  /** Total for a JSON body. */
  readonly jsonMs: number;
  /** Total for the bytes of a `raw` route. */
  readonly uploadMs: number;
}

const WITHOUT_BODY = new Set(['GET', 'HEAD']);
/** How often an arriving body is checked within `quietMs`. */
const LOOKS = 4;

/**
 * Refuses a body by its declared length (413) before a byte of it is read, even before the `100 Continue` that a client
 * waits for, and bounds how long it takes to arrive: 408 when no byte came for `quietMs`, or when the total is used up.
 * Node has one limit for all requests, but what is long for JSON is short for 50 MiB over a slow line.
 */
export function boundBodies(fastify: FastifyInstance, limits: ArrivalLimits): void {
  const arrivals = new Arrivals(limits);
  /** A request that its handler destroys forgets its own. */
  const sockets = new WeakMap<IncomingMessage, Socket>();
  fastify.addHook('onClose', (_fastify, done) => {
    arrivals.stop();
    done();
  });
  // Node alone would answer 100 before any check has run.
  fastify.server.on('checkContinue', (request, response) => fastify.server.emit('request', request, response));
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    refuseTooLong(request);
    if (request.raw.headers.expect !== undefined) invite(request, reply);
    if (isArriving(request.raw)) {
      sockets.set(request.raw, request.raw.socket);
      arrivals.bound(request);
    }
    done(null, payload);
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    // The request was refused while its body arrives: the rest is read and dropped, for a limited time, so that the
    // client can read the answer.
    const socket: Socket | null = sockets.get(request.raw) ?? request.raw.socket;
    if (socket && isArriving(request.raw)) cutUnlessComplete(request.raw, socket, limits.quietMs);
    done();
  });
}

function refuseTooLong({ raw, routeOptions }: FastifyRequest): void {
  const { 'content-length': declared } = raw.headers;
  if (declared === undefined || WITHOUT_BODY.has(raw.method!)) return;
  if (Number(declared) <= limitOf(routeOptions)) return;
  // A route that says how much it takes of what says so here too.
  const own = routeOptions.config.endpoint?.errors?.find(({ status }) => status === EdgeErrors.payloadTooLarge.status);
  throw new ApiError(own ?? EdgeErrors.payloadTooLarge);
}

/** Requests that were never on a connection, such as injected ones in tests, do not say whether they are complete. */
function isArriving({ complete, headers }: IncomingMessage): boolean {
  if ((complete as boolean | undefined) !== false) return false;
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** A stream has no limit unless its route sets one. */
function limitOf({ config: { endpoint }, bodyLimit }: FastifyRequest['routeOptions']): number {
  return endpoint?.raw ? (endpoint.bodyLimitBytes ?? Infinity) : bodyLimit;
}

/** Sends `100 Continue`, the only expectation that gets this far: others were refused. HTTP/1.0 knows none. */
function invite({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.httpVersionMajor > 1 || raw.httpVersionMinor > 0) reply.raw.writeContinue();
}

interface Arrival {
  readonly begunAt: number;
  readonly allMs: number;
  seenAt: number;
  /** Bytes that the connection had read at `seenAt`. */
  seen: number;
}

/**
 * The bodies that are arriving. One timer checks all of them, because a timer for each of many small calls would cost
 * more.
 */
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
      // Bytes that wait in the buffer are ours to take: then the store is slow, not the client.
      if (bytesRead !== arrival.seen || raw.readableLength > 0) arrival.seenAt = nowMs;
      arrival.seen = bytesRead;
      const isLate = nowMs - arrival.seenAt >= this.limits.quietMs || nowMs - arrival.begunAt >= arrival.allMs;
      if (!raw.complete && !isLate) continue;
      this.arrivals.delete(raw);
      if (!raw.complete) cutLateRequest(raw.socket);
    }
  }
}

function cutUnlessComplete(raw: IncomingMessage, socket: Socket, afterMs: number): void {
  const timer = setTimeout(() => socket.destroy(), afterMs).unref();
  socket.once('close', () => clearTimeout(timer));
  // Of one that a handler has destroyed, nobody can read the rest.
  if (raw.destroyed) return;
  raw.once('close', () => clearTimeout(timer));
  // Node reads on only where no handler has begun to.
  raw.resume();
}
