import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { schemesOf } from '../endpoint/index.ts';

/** What a page may send with its call. Cookies and client certificates are not among it. */
const REQUEST_HEADERS =
  'authorization, content-type, idempotency-key, if-match, if-none-match, if-range, last-event-id, range, traceparent, x-request-id';
/** What a page may read of an answer, beside what every page may. */
const ANSWER_HEADERS =
  'accept-ranges, content-disposition, content-range, etag, idempotent-replayed, retry-after, www-authenticate, x-request-id';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages of listed origins call owner routes from a browser (CORS), with a token in the header. A preflight carries no
 * token and is answered without one; of any other origin or route it is what every OPTIONS is, 405.
 *
 * Own code instead of `@fastify/cors`, which takes OPTIONS of every path by a route of its own: that has no `@Endpoint`, and
 * changes what is 404 and 405.
 */
export class CrossOrigin {
  private readonly allowed: ReadonlySet<string>;
  private readonly ownerRoutes: { readonly method: string; readonly path: RegExp }[] = [];

  constructor(fastify: FastifyInstance, origins: readonly string[]) {
    this.allowed = new Set(origins);
    if (origins.length === 0) return;
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const { endpoint } = config ?? {};
      if (!endpoint || !schemesOf(endpoint).includes('owner')) return;
      const path = new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`);
      for (const each of [method].flat()) this.ownerRoutes.push({ method: each, path });
    });
  }

  /** Whether it answered: the request was a preflight. */
  answers(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.allowed.size === 0) return false;
    const { origin, 'access-control-request-method': wanted } = request.headers;
    const isPreflight = request.method === 'OPTIONS' && wanted !== undefined;
    if (!(isPreflight ? this.isOwnerRoute(wanted, request.url) : takesOwners(request))) return false;
    // A cache must not show one origin what was answered to another.
    reply.header('vary', 'Origin');
    if (origin === undefined || !this.allowed.has(origin)) return false;
    reply.header('access-control-allow-origin', origin);
    if (!isPreflight) {
      reply.header('access-control-expose-headers', ANSWER_HEADERS);
      return false;
    }
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': wanted,
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      })
      .send();
    return true;
  }

  private isOwnerRoute(wanted: string, url: string): boolean {
    const [pathname] = url.split('?', 1);
    return this.ownerRoutes.some(({ method, path }) => method === wanted && path.test(pathname!));
  }
}

function takesOwners({ routeOptions }: FastifyRequest): boolean {
  const { endpoint } = routeOptions.config;
  return endpoint !== undefined && schemesOf(endpoint).includes('owner');
}
