import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, LogController } from 'fastify';
import { type Tracer, traceRequests } from '../../tracing/index.ts';
import { JSON_LIMIT_BYTES } from '../endpoint/index.ts';
import { boundBodies } from './body-arrival.ts';
import { answerBrokenConnection, answerConnect, answerUnroutable } from './connection-errors.ts';
import { registerBodyParsers } from './body-parsers.ts';
import { compressAnswers } from './compression.ts';
import { CrossOrigin } from './cross-origin.ts';
import { DEFAULT_HEADERS, keepJsonOutOfCaches } from './default-headers.ts';
import { Draining } from './draining.ts';
import { refuseMissingToken } from './early-authorization.ts';
import { refuseUnknownRoute } from './method-not-allowed.ts';
import { admitExpectations, MAX_URL_LENGTH, refuseBadHead } from './request-head.ts';
import { requestIdOf } from './request-id.ts';

/** Enough for 50 MiB at 30 kB/s. Handlers of uploads must keep unfinished ones longer than this. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;

/** Durations in milliseconds. */
export interface EdgeOptions {
  readonly logger?: FastifyBaseLogger;
  /** Whose `X-Forwarded-*` headers are trusted: none (default), all, or those of the listed addresses. */
  readonly trustProxy?: boolean | string;
  /** Origins whose pages may call owner routes; none by default. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Shared with the code that ends the process. */
  readonly draining?: Draining;
  /** Makes a span of each request, if there is one. */
  readonly tracer?: Tracer | undefined;
  readonly bodyLimitBytes?: number;
  /** Longest pause in a body; an upload without such a pause may take half an hour. */
  readonly bodyQuietMs?: number;
  /** Total time for a JSON body to arrive. */
  readonly jsonTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  /** Longer than the 60 s for which load balancers usually keep an idle connection. */
  readonly keepAliveTimeoutMs?: number;
}

/**
 * Makes the HTTP adapter with every rule of the edge. Give it to `NestFactory.create` with `bodyParser: false` (with
 * Nest's own parsers beside these the start fails) and use `ErrorFilter` as a global filter.
 */
export function createAdapter(options: EdgeOptions = {}): FastifyAdapter {
  const { bodyLimitBytes = JSON_LIMIT_BYTES, draining = new Draining() } = options;
  const adapter = bareAdapter(options, bodyLimitBytes);
  const fastify = adapter.getInstance();
  if (options.tracer) traceRequests(fastify, options.tracer);
  admitExpectations(fastify.server);
  fastify.server.on('connect', answerConnect);
  registerBodyParsers(fastify, bodyLimitBytes);
  boundBodies(fastify, {
    quietMs: options.bodyQuietMs ?? 60_000,
    jsonMs: options.jsonTimeoutMs ?? 300_000,
    uploadMs: UPLOAD_TIMEOUT_MS,
  });
  const crossOrigin = new CrossOrigin(fastify, options.corsAllowedOrigins ?? []);
  fastify.addHook('onRequest', (request, reply, done) => {
    draining.inFlight.note(request, reply);
    reply.headers(DEFAULT_HEADERS).header('x-request-id', request.id);
    refuseBadHead(request);
    if (crossOrigin.answers(request, reply)) return;
    refuseUnknownRoute(fastify, request);
    refuseMissingToken(request);
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    keepJsonOutOfCaches(reply);
    if (draining.parting) reply.header('connection', 'close');
    done(null, payload);
  });
  compressAnswers(fastify);
  return adapter;
}

function bareAdapter(options: EdgeOptions, bodyLimit: number) {
  return new FastifyAdapter({
    ...(options.logger ? { loggerInstance: options.logger } : {}),
    // Fastify's own log lines show the URL with its query; `logRequests` writes ours without.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: options.trustProxy ?? false,
    genReqId: requestIdOf,
    bodyLimit,
    // For bodies that `boundBodies` does not see, such as one that a refused request still sends.
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 72_000,
    http: {
      headersTimeout: options.headersTimeoutMs ?? 15_000,
      // How late a timeout may be detected.
      connectionsCheckingInterval: 1_000,
      // `refuseBadHead` checks it, because Node would answer without an envelope.
      requireHostHeader: false,
    },
    exposeHeadRoutes: false,
    // One limit for the whole URL.
    routerOptions: { maxParamLength: MAX_URL_LENGTH },
    // Middleware would match paths in its own way, which may differ from the router's.
    skipMiddie: true,
    // A request that arrives on an open connection while draining is still answered, in the envelope.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenConnection,
    frameworkErrors: answerUnroutable,
  });
}
