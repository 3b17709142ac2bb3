import type { FastifyInstance } from 'fastify';

/** Routes that serve the OpenAPI document and its page. */
const DOCUMENTS = /^\/docs(-json)?(\/|$)/;

/** Stops the start at a route without `@Endpoint`, which no guard would protect. */
export function requireEndpoints(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (!(config as { endpoint?: unknown } | undefined)?.endpoint && !DOCUMENTS.test(url))
      throw new Error(`${String(method)} ${url} has no @Endpoint; declare one on its handler.`);
  });
}
