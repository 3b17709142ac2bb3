import type { FastifyInstance } from 'fastify';

/** Routes that serve the documents themselves. */
const DOCUMENTS = /^\/docs(-json)?(\/|$)/;

/** Stops the start at a route that says nothing of itself through `@Endpoint`: nobody would guard it. */
export function requireEndpoints(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (!(config as { endpoint?: unknown } | undefined)?.endpoint && !DOCUMENTS.test(url))
      throw new Error(`${String(method)} ${url} has no @Endpoint.`);
  });
}
