import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import { rawResponse } from './connection-errors.ts';
import { replyWithError } from './error-reply.ts';

const RETRY_AFTER = '1';

/** The requests in flight, so that those which outlast the shutdown's limit are answered 503. */
export class InFlight {
  private readonly requests = new Map<FastifyReply, FastifyRequest>();

  get count(): number {
    return this.requests.size;
  }

  note(request: FastifyRequest, reply: FastifyReply): void {
    this.requests.set(reply, request);
    reply.raw.once('close', () => this.requests.delete(reply));
  }

  /** Answers 503 to all requests whose answer has not begun; what their handlers return later is dropped. */
  refuseAll(): void {
    const message = 'The service stopped before this call was done; try again.';
    const error = new ApiError(EdgeErrors.serviceUnavailable, { message, headers: { 'Retry-After': RETRY_AFTER } });
    for (const [reply, request] of this.requests) {
      if (reply.sent || reply.raw.headersSent) continue;
      if (request.raw.complete) replyWithError(error, request, reply.header('connection', 'close'));
      else refuseArriving(error, request, reply);
    }
  }
}

/**
 * Answers by hand and leaves the client's direction open: closing a connection while bytes arrive resets it, and the
 * client loses the answer that it has not read yet.
 */
function refuseArriving(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  const { socket } = request.raw;
  if (socket.writable) socket.end(rawResponse(error, request));
}
