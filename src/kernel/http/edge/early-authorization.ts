import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../errors/index.ts';
import { schemesOf, unauthorizedAt } from '../endpoint/index.ts';

/** As many as proxies take in one header; tokens of an OpenID provider that list roles have thousands. */
const MAX_TOKEN_LENGTH = 8 * 1024;
const BEARER = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Answers 401 when a call of a guarded route carries nothing that could be a token, or two of them: Node shows only the
 * first, and a proxy may have checked the other. Decides nothing else: `Authentication` finds whose token it is.
 */
export function refuseMissingToken(request: FastifyRequest): void {
  const { endpoint, url } = request.routeOptions.config;
  if (endpoint === undefined || schemesOf(endpoint).length === 0) return;
  if (isBearer(request.headers.authorization) && !isTwice('authorization', request.raw.rawHeaders)) return;
  throw new ApiError(unauthorizedAt(url));
}

/** Whether raw headers (names and values in turn) hold this name more than once. */
function isTwice(wanted: string, rawHeaders: readonly string[]): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === wanted.length && name.toLowerCase() === wanted) times += 1;
  }
  return times > 1;
}

/** Whether a header is `Bearer` with one token68 (RFC 9110) of at most 8192 characters. */
export function isBearer(header: string | undefined): boolean {
  const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH;
}
