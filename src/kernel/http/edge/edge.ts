import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, LogController } from 'fastify';
import { JSON_LIMIT_BYTES } from '../endpoint/index.ts';
import { boundBodies } from './body-arrival.ts';
import { answerBrokenConnection, answerConnect, answerUnroutable } from './connection-errors.ts';
import { registerBodyParsers } from './content-type.ts';
import { CrossOrigin } from './cross-origin.ts';
import { DEFAULT_HEADERS, keepJsonOutOfCaches } from './default-headers.ts';
import { Draining } from './draining.ts';
import { refuseMissingToken } from './early-authorization.ts';
import { refuseUnknownRoute } from './method-not-allowed.ts';
import { admitExpectations, MAX_URL_LENGTH, refuseBadHead } from './request-head.ts';
import { requestIdOf } from './request-id.ts';

/** 50 MB at 30 kB/s; whoever takes uploads gives them up later than this. */
const UPLOAD_TIMEOUT_MS = 30 * 60_000;

/** Durations in milliseconds. */
export interface EdgeOptions {
  readonly logger?: FastifyBaseLogger;
  /** Whose `X-Forwarded-*` headers count: nobody's (the default), everybody's, or those of the listed addresses. */
  readonly trustProxy?: boolean | string;
  /** Whose pages may call owner routes; none unless said. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Shared with whoever ends the process. */
  readonly draining?: Draining;
  readonly bodyLimitBytes?: number;
  /** How long a body may pause; uploads may take half an hour if they do not. */
  readonly bodyQuietMs?: number;
  /** Until the whole of a JSON body has arrived. */
  readonly jsonTimeoutMs?: number;
  readonly headersTimeoutMs?: number;
  /** Longer than the 60 s for which load balancers usually keep a connection. */
  readonly keepAliveTimeoutMs?: number;
}

/**
 * The HTTP adapter with every rule of the edge. Give it to `NestFactory.create` with `bodyParser: false` (Nest's parsers
 * would clash with these: the start fails) and use `ErrorFilter` as a global filter.
 */
export function createAdapter(options: EdgeOptions = {}): FastifyAdapter {
  const { bodyLimitBytes = JSON_LIMIT_BYTES, draining = new Draining() } = options;
  const adapter = bareAdapter(options, bodyLimitBytes);
  const fastify = adapter.getInstance();
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
    if (draining.leaving) reply.header('connection', 'close');
    done(null, payload);
  });
  return adapter;
}

function bareAdapter(options: EdgeOptions, bodyLimit: number) {
  return new FastifyAdapter({
    ...(options.logger ? { loggerInstance: options.logger } : {}),
    // Fastify's own lines show the address with its query; `logRequests` writes ours.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    trustProxy: options.trustProxy ?? false,
    genReqId: requestIdOf,
    bodyLimit,
    // For what the bounds of bodies do not see, such as one that a refused request still sends.
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: options.keepAliveTimeoutMs ?? 72_000,
    http: {
      headersTimeout: options.headersTimeoutMs ?? 15_000,
      // How late a timeout may be noticed.
      connectionsCheckingInterval: 1_000,
      // Node would answer without an envelope; `refuseBadHead` does it.
      requireHostHeader: false,
    },
    exposeHeadRoutes: false,
    // One limit for the whole address.
    routerOptions: { maxParamLength: MAX_URL_LENGTH },
    // Middleware matches paths on its own, which is one decision too many.
    skipMiddie: true,
    // A request that comes in on an open connection while draining is still answered, in the envelope.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenConnection,
    frameworkErrors: answerUnroutable,
  });
}
