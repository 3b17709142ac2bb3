import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/index.ts';
import { unauthorizedFor } from '../endpoint.ts';

const MAX_TOKEN_LENGTH = 4096;
const BEARER = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * 401 before a body is read, where a guarded route is called without anything that could be a token. Decides nothing
 * else: whether the token is good is the guard's business.
 */
export function refuseMissingToken(request: FastifyRequest): void {
  const { endpoint } = request.routeOptions.config;
  if (endpoint === undefined || endpoint.auth === 'public' || isBearer(request.headers.authorization)) return;
  throw new ApiError(unauthorizedFor(endpoint));
}

/** Whether a header is `Bearer` and one token68 (RFC 9110) of at most 4096 characters. */
export function isBearer(header: string | undefined): boolean {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH;
}
