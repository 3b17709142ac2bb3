import type { FastifyRequest } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';
import type { EndpointSpec } from '../endpoint.ts';

const MAX_TOKEN_LENGTH = 4096;
const BEARER = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * 401 before a body is read, where a guarded route is called without anything that could be a token. Decides nothing
 * else: whether the token is good is the guard's business.
 */
export function refuseMissingToken(request: FastifyRequest): void {
  const auth = request.routeOptions.config.endpoint?.auth ?? 'public';
  if (auth !== 'public' && !isBearer(request.headers.authorization)) throw unauthorized(auth);
}

/** The 401 of a route; one that takes several schemes answers with the code of the last. */
export function unauthorized(auth: Exclude<EndpointSpec['auth'], 'public'>): ApiError {
  const scheme = typeof auth === 'string' ? auth : auth.at(-1);
  return new ApiError(scheme === 'owner' ? EdgeErrors.ownerUnauthorized : EdgeErrors.agentUnauthorized);
}

/** Whether a header is `Bearer` and one token68 (RFC 9110) of at most 4096 characters. */
export function isBearer(header: string | undefined): boolean {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH;
}
