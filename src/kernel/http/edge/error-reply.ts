import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors, type ErrorRow } from '../../errors/index.ts';
import { codeOf, errorEnvelope, metaOf } from '../envelope/index.ts';
import { type EndpointSpec, unauthorizedAt } from '../endpoint/index.ts';
import { jsonRpcRefusal } from '../json-rpc/index.ts';
import { pageHeaders } from '../pages/index.ts';
import { DEFAULT_HEADERS, JSON_CACHE_CONTROL } from './default-headers.ts';

/** Headers that a handler may have set for a body that it then could not send. */
const BODY_HEADERS = [
  'content-length',
  'content-encoding',
  'content-range',
  'content-disposition',
  'content-security-policy',
  'accept-ranges',
  'etag',
] as const;

/**
 * Sends an error with all of its headers, in the envelope or as the route's page, JSON-RPC message or line of text,
 * because some errors happen before or outside the hooks that set them.
 */
export function replyWithError(thrown: ApiError, request: FastifyRequest, reply: FastifyReply): void {
  const error = asSaidHere(thrown, request);
  for (const name of BODY_HEADERS) reply.removeHeader(name);
  reply
    .code(error.row.status)
    .headers(DEFAULT_HEADERS)
    .headers({ 'x-request-id': request.id, 'cache-control': JSON_CACHE_CONTROL })
    .headers(error.row.status === 401 ? { 'www-authenticate': 'Bearer' } : {})
    .headers(error.headers);
  const { endpoint } = request.routeOptions.config;
  if (endpoint?.page && showsPages(request)) {
    reply.headers(pageHeaders()).send(endpoint.page.ofError({ status: error.row.status, requestId: request.id }));
    return;
  }
  if (endpoint?.stream) {
    reply.type('text/plain; charset=utf-8').send(`${lineOf(error)}\n`);
    return;
  }
  reply.type('application/json; charset=utf-8').send(messageOf(error, request, endpoint));
}

/** What an error says where there is no place for its issues: the first of them instead. */
function lineOf({ message, issues: [issue] = [] }: ApiError): string {
  return issue ? `${issue.path} ${issue.message}`.trimStart() : message;
}

/** Whether a person looks at the answer; programs that call the same route read the envelope. */
function showsPages({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}

function messageOf(error: ApiError, request: FastifyRequest, endpoint: EndpointSpec | undefined): object {
  if (endpoint?.jsonRpc) return jsonRpcRefusal(error, codeOf(error.row, endpoint), request);
  return errorEnvelope(error, metaOf(request), endpoint);
}

const UNAUTHORIZED: ReadonlySet<ErrorRow> = new Set([EdgeErrors.ownerUnauthorized, EdgeErrors.agentUnauthorized]);

/**
 * Replaces a 401 by that of the route, which alone decides the code; the code that refused the credential may not know
 * the route.
 */
function asSaidHere(error: ApiError, request: FastifyRequest): ApiError {
  if (!UNAUTHORIZED.has(error.row)) return error;
  const row = unauthorizedAt(request.routeOptions.url);
  if (row === error.row) return error;
  return new ApiError(row, {
    ...(error.message === error.row.message ? {} : { message: error.message }),
    ...(error.issues ? { issues: error.issues } : {}),
  });
}
