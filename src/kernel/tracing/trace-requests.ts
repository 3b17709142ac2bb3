import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readTraceparent } from './traceparent.ts';
import { runFor } from './traced-work.ts';
import type { TracedRequest, Tracer } from './tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while traces are on. */
    traced?: TracedRequest;
  }
}

/** Probes and scrapes come every few seconds and tell nothing new. */
const UNTRACED = /^\/(?:health\/|metrics$)/;

/**
 * Gives each request a span, from its head to the end of its answer. Add it before all other hooks, so that requests
 * which they refuse have one too.
 */
export function traceRequests(fastify: FastifyInstance, tracer: Tracer): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    // Read once: Fastify builds these options on each access.
    const { url } = request.routeOptions;
    if (url !== undefined && UNTRACED.test(url)) return done();
    request.traced = tracer.request(request.method, url, readTraceparent(request.headers.traceparent));
    // Unlike `onResponse`, this also comes when the client goes away.
    reply.raw.once('close', () => endTrace(request, reply));
    done();
  });
  // After the body has arrived: its parser runs in the context of the connection.
  fastify.addHook('preValidation', ({ traced }, _reply, done) => {
    if (traced) runFor(traced, done);
    else done();
  });
}

/** Ends the span of a request that is answered, or of one whose stream begins. */
export function endTrace({ traced }: FastifyRequest, { raw }: FastifyReply): void {
  traced?.end(raw.headersSent ? raw.statusCode : undefined);
}

/** The id of the trace that a request belongs to: the one that is recorded, or else its caller's. */
export function traceIdOf({ traced, headers }: Pick<FastifyRequest, 'headers' | 'traced'>): string | undefined {
  return traced ? traced.traceId : readTraceparent(headers.traceparent)?.traceId;
}
