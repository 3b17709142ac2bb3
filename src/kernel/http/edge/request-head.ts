import type { Server } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors, invalid } from '../../errors/index.ts';

/** Characters of the request target, query included, as sent. */
export const MAX_URL_LENGTH = 8 * 1024;

/** What Node or the router would answer bare (400, 417) or not at all (414), answered in the envelope. */
export function refuseBadHead({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
    throw invalid('', 'missing_host', 'The Host header is missing.');
  }
  const { expect } = raw.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw new ApiError(EdgeErrors.expectationFailed);
  if ((raw.url ?? '').length > MAX_URL_LENGTH) throw new ApiError(EdgeErrors.uriTooLong);
}

/** Sends requests with an unknown `Expect` down the ordinary way, where `refuseBadHead` answers them. */
export function admitExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
