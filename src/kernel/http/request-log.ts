import type { FastifyInstance } from 'fastify';
import { traceIdOf } from './envelope.ts';

/** One line a request with its id, when its answer is out. The route's pattern stands in for the address, whose query may hold anything. */
export function logRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { principal } = request;
    const fields = {
      traceId: traceIdOf(request),
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
      caller: principal?.kind === 'owner' ? principal.subject : principal?.kind,
    };
    // Probes come every few seconds and say nothing new.
    const level = request.routeOptions.url?.startsWith('/health/') ? 'debug' : 'info';
    request.log[level](fields, 'request');
    done();
  });
}
