import type { FastifyInstance } from 'fastify';
import { type EndpointSpec, schemesOf } from './endpoint.ts';

/** Routes that serve the OpenAPI document and its page. */
const DOCUMENTS = /^\/docs(-json)?(\/|$)/;

/**
 * Stops the start at a route without `@Endpoint`, which no guard would protect, and at one that lets owners in without the
 * scope that their tokens need.
 */
export function requireEndpoints(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (DOCUMENTS.test(url)) return;
    const { endpoint } = (config ?? {}) as { readonly endpoint?: EndpointSpec };
    if (!endpoint) throw new Error(`${String(method)} ${url} has no @Endpoint; declare one on its handler.`);
    if (endpoint.scope === undefined && schemesOf(endpoint).includes('owner'))
      throw new Error(`${String(method)} ${url} lets owners in; name the scope that it takes in its @Endpoint.`);
  });
}
