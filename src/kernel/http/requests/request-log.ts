import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '../../principals/index.ts';
import { traceIdOf } from '../../tracing/index.ts';
import { namedBy } from './named-by.ts';

/**
 * Logs one line per request with its id, once its answer is sent. Logs the route's pattern and not the URL, whose query
 * may hold a secret.
 */
export function logRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

/** Logs the line of a request; a stream is logged when it begins. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { identity } = request;
  // Read once: Fastify builds these options on each access.
  const { url } = request.routeOptions;
  const fields = {
    traceId: traceIdOf(request),
    method: request.method,
    route: url ?? null,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 100) / 100,
    caller: identity && callerOf(identity),
    ...namedBy(request, url),
  };
  // Probes and scrapes come every few seconds and tell nothing new.
  const level = url?.startsWith('/health/') || url === '/metrics' ? 'debug' : 'info';
  request.log[level](fields, 'request');
}

function callerOf(identity: Identity): string {
  switch (identity.kind) {
    case 'owner':
      return identity.subject;
    case 'service':
      return 'service';
    case 'execution':
      return `${identity.execution}:${identity.executionId}`;
    case 'gateway':
      return `${callerOf(identity.execution)}@${identity.integrationId}`;
  }
}
