import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../errors/index.ts';
import { errorEnvelope, metaOf } from '../envelope.ts';
import { DEFAULT_HEADERS, JSON_CACHE_CONTROL } from './default-headers.ts';

/** What a handler may have said about the body that it then could not send. */
const BODY_HEADERS = [
  'content-length',
  'content-encoding',
  'content-range',
  'content-disposition',
  'content-security-policy',
  'accept-ranges',
  'etag',
] as const;

/** Sends the error envelope with all of its headers, since some errors come before or beside the hooks that set them. */
export function replyWithError(error: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  for (const name of BODY_HEADERS) reply.removeHeader(name);
  reply
    .code(error.row.status)
    .headers(DEFAULT_HEADERS)
    .headers({ 'x-request-id': request.id, 'cache-control': JSON_CACHE_CONTROL })
    .headers(error.row.status === 401 ? { 'www-authenticate': 'Bearer' } : {})
    .headers(error.headers)
    .type('application/json; charset=utf-8')
    .send(errorEnvelope(error, metaOf(request), request.routeOptions.config.endpoint));
}
