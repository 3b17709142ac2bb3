import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import { rawResponse } from './connection-errors.ts';
import { replyWithError } from './error-reply.ts';

const RETRY_AFTER = '1';

/** The requests that are being answered, so that those which a stop cannot wait for hear of it. */
export class InFlight {
  private readonly requests = new Map<FastifyReply, FastifyRequest>();

  note(request: FastifyRequest, reply: FastifyReply): void {
    this.requests.set(reply, request);
    reply.raw.once('close', () => this.requests.delete(reply));
  }

  /** 503 for all whose answer has not begun; whatever their handlers say later is dropped. */
  refuseAll(): void {
    const message = 'The service stopped before this was done; try again.';
    const error = new ApiError(EdgeErrors.serviceUnavailable, { message, headers: { 'Retry-After': RETRY_AFTER } });
    for (const [reply, request] of this.requests) {
      if (reply.sent || reply.raw.headersSent) continue;
      if (request.raw.complete) replyWithError(error, request, reply.header('connection', 'close'));
      else refuseArriving(error, request, reply);
    }
  }
}

/**
 * By hand and with the client's direction left open: closed while bytes come in, a connection is reset, and with it goes the
 * answer that its client has not read yet.
 */
function refuseArriving(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  reply.hijack();
  const { socket } = request.raw;
  if (socket.writable) socket.end(rawResponse(error, request));
}
