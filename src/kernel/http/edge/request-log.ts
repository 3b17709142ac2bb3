import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../principals/index.ts';
import { traceIdOf } from '../envelope/index.ts';

/** One line a request with its id, when its answer is out. The route's pattern stands in for the address, whose query may hold anything. */
export function logRequests(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    logRequest(request, reply);
    done();
  });
}

/** The line of a request. That of a stream comes when it begins. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { principal } = request;
  // Fastify puts these options together each time they are asked for.
  const { url } = request.routeOptions;
  const fields = {
    traceId: traceIdOf(request),
    method: request.method,
    route: url ?? null,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 100) / 100,
    caller: principal && callerOf(principal),
  };
  // Probes come every few seconds and say nothing new.
  const level = url?.startsWith('/health/') ? 'debug' : 'info';
  request.log[level](fields, 'request');
}

function callerOf(principal: Principal): string {
  switch (principal.kind) {
    case 'owner':
      return principal.subject;
    case 'service':
      return 'service';
    case 'execution':
      return `${principal.execution}:${principal.executionId}`;
  }
}
