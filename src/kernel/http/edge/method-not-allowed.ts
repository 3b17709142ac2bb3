import type { FastifyInstance, FastifyRequest, HTTPMethods } from 'fastify';
import { ApiError, EdgeErrors } from '../../errors/index.ts';

/**
 * Where no route matched: 405 with `Allow` if the path has routes under other methods (HEAD and OPTIONS included, they
 * exist only where declared), else 404. Fastify's own router is asked, so both always agree about a path.
 */
export function refuseUnknownRoute(fastify: FastifyInstance, request: FastifyRequest): void {
  if (!request.is404) return;
  const allowed = methodsOf(fastify, request.raw.url ?? '/');
  if (allowed.length === 0) throw new ApiError(EdgeErrors.routeNotFound);
  throw new ApiError(EdgeErrors.methodNotAllowed, { headers: { allow: allowed.join(', ') } });
}

/** The methods under which the router knows the address, sorted. */
function methodsOf(fastify: FastifyInstance, url: string): string[] {
  const methods = fastify.supportedMethods as HTTPMethods[];
  // Typed as if it always found one; it answers null.
  return methods.filter((method) => (fastify.findRoute({ method, url }) as object | null) !== null).sort();
}
