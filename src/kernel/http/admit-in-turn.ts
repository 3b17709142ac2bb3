import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Admission } from '../admission/index.ts';
import { BOOTSTRAP } from '../tenancy/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { type EndpointSpec, schemesOf } from './endpoint/index.ts';

/**
 * Requests of one caller that run at once. More gain nothing: a caller's share of the connections is smaller, and reads
 * that arrive together share one.
 */
const AT_ONCE = 32;
/** Calls of one caller that may wait. A larger body counts as several, because it stays in memory while it waits. */
const QUEUE = 1_000;
const BODY_OF_A_CALL_BYTES = 16 * 1024;
const WAIT_MS = 10_000;

/**
 * Limits how many requests of one caller (a person, or the agents of an organization) are in the handlers at once.
 * Further requests wait once they are parsed, so that other callers' requests run between them however many one caller
 * sends. (Measured without this: of 700 creations that arrived together, the event loop ran guards, validation and the
 * first statements in one go, half a second.) Counts by caller and not by the organization in the path, which may be
 * another tenant's. Does not count bytes and event streams, which last as long as their clients read, calls of the
 * gateway, which last as long as providers do and have limits of their own, nor lease calls and health.
 */
export function admitInTurn(fastify: FastifyInstance): void {
  const admission = new Admission({ size: Number.POSITIVE_INFINITY, share: AT_ONCE, queue: QUEUE, waitMs: WAIT_MS });
  /** Counts the request until its answer is sent or its client has gone. */
  const hold = (caller: string, { raw }: FastifyReply) => {
    const leave = () => {
      raw.off('finish', leave).off('close', leave);
      admission.leave(caller);
    };
    raw.on('finish', leave).on('close', leave);
  };
  // A callback and not a promise: nearly all calls find room and continue at once.
  fastify.addHook('preHandler', (request, reply, done) => {
    const caller = callerOf(request);
    if (caller === undefined) return done();
    const go = () => {
      if (!reply.raw.destroyed) {
        hold(caller, reply);
        return done();
      }
      admission.leave(caller);
      // The client left before its turn came, so nothing was begun.
      done(new ApiError(EdgeErrors.serviceUnavailable));
    };
    try {
      const turn = admission.enter(caller, weightOf(request));
      if (turn) void turn.then(go, done);
      else go();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Counts the administrator as one caller per organization, because deployments use its token for many people. */
function callerOf({ routeOptions, params, identity }: FastifyRequest): string | undefined {
  const { endpoint } = routeOptions.config;
  if (!endpoint || !identity || !isCounted(endpoint)) return undefined;
  if (identity.kind === 'execution') return `agents of ${identity.organizationId}`;
  if (identity.kind === 'service' || identity.kind === 'gateway') return undefined;
  const { organizationId = '' } = params as { readonly organizationId?: string };
  return identity.subject === BOOTSTRAP ? `${BOOTSTRAP} in ${organizationId.toLowerCase()}` : identity.subject;
}

function isCounted(endpoint: EndpointSpec): boolean {
  const { bytes, events, raw } = endpoint;
  return !bytes && !events && !raw && schemesOf(endpoint).some((scheme) => scheme !== 'service');
}

function weightOf({ headers }: FastifyRequest): number {
  return 1 + Math.floor(Number(headers['content-length'] ?? 0) / BODY_OF_A_CALL_BYTES);
}
