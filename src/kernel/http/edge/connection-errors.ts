import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../errors/index.ts';
import { errorEnvelope, metaOf } from '../envelope/index.ts';
import { DEFAULT_HEADERS, JSON_CACHE_CONTROL } from './default-headers.ts';
import { replyWithError } from './error-reply.ts';
import { MAX_URL_LENGTH } from './request-head.ts';

/** What Node's parser reports about a connection that it gave up. */
interface ConnectionError {
  readonly code?: string;
  /** The last chunk that was read, a Buffer where there was one; Fastify's type has another shape. */
  readonly rawPacket?: unknown;
}

/** Fastify's `clientErrorHandler`: no request could be read, so the answer is written to the socket by hand. */
export function answerBrokenConnection(error: ConnectionError, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable && !isAnswering(socket)) {
    socket.write(rawResponse(connectionError(error)));
  }
  socket.destroySoon();
}

/**
 * Answers 408 to a request that does not arrive, as Node does when its own timer ends, and closes the socket; a handler
 * that reads the body gets an error.
 */
export function cutLateRequest(socket: Socket): void {
  answerBrokenConnection({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket);
}

/** Answers CONNECT, which asks for a tunnel; Node would close the connection without an answer. */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.end(rawResponse(new ApiError(EdgeErrors.methodNotAllowed)));
}

/**
 * Whether an answer is being sent, which a second one would corrupt. Node keeps it in this private field, and its own
 * handler reads it too.
 */
function isAnswering(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

export function connectionError({ code, rawPacket }: ConnectionError): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(isUrlTooLong(rawPacket) ? EdgeErrors.uriTooLong : EdgeErrors.headersTooLarge);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(EdgeErrors.requestTimeout);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError(EdgeErrors.payloadTooLarge);
    default:
      return invalid('', EdgeIssues.malformedRequest);
  }
}

const LONG_URL = new RegExp(`^[A-Z]+ [^\\s]{${MAX_URL_LENGTH}}`);

/**
 * Whether the URL overflowed, which Node counts as a header. Detected only when the start of the request came in one
 * chunk, as it mostly does.
 */
function isUrlTooLong(packet: unknown): boolean {
  const start = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, MAX_URL_LENGTH + 32) : '';
  return LONG_URL.test(start);
}

/** A complete HTTP answer, for a socket whose request Fastify does not answer. */
export function rawResponse(error: ApiError, request?: FastifyRequest): string {
  const body = JSON.stringify(errorEnvelope(error, metaOf(request), request?.routeOptions.config.endpoint));
  const headers = {
    ...DEFAULT_HEADERS,
    ...error.headers,
    ...(request ? { 'x-request-id': request.id } : {}),
    'cache-control': JSON_CACHE_CONTROL,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const { status } = error.row;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
}

/** Fastify's `frameworkErrors`: the router could not read the path, so neither hooks nor Nest's filter run. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const known =
    error.code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? new ApiError(EdgeErrors.uriTooLong)
      : invalid('', EdgeIssues.malformedPath);
  replyWithError(known, request, reply);
}
