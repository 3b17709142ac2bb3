import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { schemesOf } from '../endpoint/index.ts';

/** Request headers that a page may send. Cookies and client certificates are not allowed. */
const REQUEST_HEADERS =
  'authorization, content-type, idempotency-key, if-match, if-none-match, if-range, last-event-id, range, traceparent, x-request-id';
/** Response headers that a page may read, beside those that every page may. */
const ANSWER_HEADERS =
  'accept-ranges, content-disposition, content-range, etag, idempotent-replayed, retry-after, www-authenticate, x-request-id';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets pages of listed origins call owner routes from a browser (CORS), with a token in the header. Answers preflights
 * without a token, because they carry none; a preflight from another origin or for another route gets 405, as every
 * OPTIONS does.
 *
 * Does not use `@fastify/cors`, which takes OPTIONS of every path by a route of its own: that route has no `@Endpoint`,
 * and changes which calls get 404 and 405.
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

  /** Answers an allowed preflight, and sets the headers of a call; returns whether it answered. */
  answers(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.allowed.size === 0) return false;
    const { origin, 'access-control-request-method': wanted } = request.headers;
    const isPreflight = request.method === 'OPTIONS' && wanted !== undefined;
    if (!(isPreflight ? this.isOwnerRoute(wanted, request.url) : takesOwners(request))) return false;
    // Keeps caches from showing one origin the answer to another.
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
