import type { Server } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors, EdgeIssues, invalid } from '../../errors/index.ts';

/** Characters of the request target, query included, as sent. */
export const MAX_URL_LENGTH = 8 * 1024;

/** Refuses, in the envelope, what Node or the router would answer without one (400, 417) or accept (414). */
export function refuseBadHead({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
    throw invalid('', EdgeIssues.missingHost);
  }
  const { expect } = raw.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw new ApiError(EdgeErrors.expectationFailed);
  const { url = '' } = raw;
  if (url.length > MAX_URL_LENGTH) throw new ApiError(EdgeErrors.uriTooLong);
  const queryAt = url.indexOf('?');
  if (queryAt !== -1 && url.includes('%', queryAt)) refuseBrokenQuery(url.slice(queryAt + 1));
}

/**
 * Refuses a query that is not percent-encoded UTF-8. The router refuses such a path, but takes such a query as literal
 * text.
 */
function refuseBrokenQuery(query: string): void {
  for (const pair of query.split('&')) {
    if (decoded(pair) !== undefined) continue;
    const key = decoded(pair.split('=', 1)[0]!) ?? '';
    throw invalid(key, EdgeIssues.malformedQuery);
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Handles requests with an unknown `Expect` like all others, so that `refuseBadHead` answers them. */
export function admitExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
