import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';

/**
 * Refuses a request that matched no route: 405 with `Allow` if the path has routes under other methods (HEAD and
 * OPTIONS exist only where declared), otherwise 404. Asks Fastify's own router, so that both always agree about a path.
 */
export function refuseUnknownRoute(fastify: FastifyInstance, request: FastifyRequest): void {
  if (!request.is404) return;
  const allowed = methodsOf(fastify, request.raw.url ?? '/');
  if (allowed.length === 0) throw new ApiError(EdgeErrors.routeNotFound);
  throw new ApiError(EdgeErrors.methodNotAllowed, { headers: { allow: allowed.join(', ') } });
}

/** The methods for which the router finds a route at the URL, sorted. */
function methodsOf(fastify: FastifyInstance, url: string): string[] {
  const methods = fastify.supportedMethods as HTTPMethods[];
  // Its type claims that it always finds one; it returns null.
  return methods.filter((method) => (fastify.findRoute({ method, url }) as object | null) !== null).sort();
}
