import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Admission } from '../admission/index.ts';
import { BOOTSTRAP } from '../tenancy/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { type EndpointSpec, schemesOf } from './endpoint/index.ts';

/** More of one caller gain nothing: its share of the connections is smaller, and reads that come together share one. */
const AT_ONCE = 32;
/** What may wait of one caller, in calls, a larger body counting for several: it is in memory meanwhile. */
const QUEUE = 1_000;
const BODY_OF_A_CALL_BYTES = 16 * 1024;
const WAIT_MS = 10_000;

/**
 * Lets a bounded number of each caller's requests into the handlers at once, a person's or those of an organization's
 * agents; the next waits before it costs more than its parsing, so that however many come at once, others' requests go
 * between them. (Measured: of 700 creations that came together the event loop did guards, validation and the first
 * statements in one go, half a second.) It goes by who calls and not by the organization in the path, which may be another
 * tenant's. Bytes and event streams, which take as long as their clients, are not counted, nor are lease calls and health.
 */
export function admitInTurn(fastify: FastifyInstance): void {
  const admission = new Admission({ size: Number.POSITIVE_INFINITY, share: AT_ONCE, queue: QUEUE, waitMs: WAIT_MS });
  /** Until the answer is out, or whoever asked is gone. */
  const hold = (caller: string, { raw }: FastifyReply) => {
    const leave = () => {
      raw.off('finish', leave).off('close', leave);
      admission.leave(caller);
    };
    raw.on('finish', leave).on('close', leave);
  };
  // A callback and not a promise: nearly all calls find room, and go on at once.
  fastify.addHook('preHandler', (request, reply, done) => {
    const caller = callerOf(request);
    if (caller === undefined) return done();
    const go = () => {
      if (!reply.raw.destroyed) {
        hold(caller, reply);
        return done();
      }
      admission.leave(caller);
      // Gone before its turn came: nothing was begun.
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

/** The administrator is one caller an organization: deployments act with it for many people. */
function callerOf({ routeOptions, params, principal }: FastifyRequest): string | undefined {
  const { endpoint } = routeOptions.config;
  if (!endpoint || !principal || !isCounted(endpoint)) return undefined;
  if (principal.kind === 'execution') return `agents of ${principal.organizationId}`;
  if (principal.kind === 'service') return undefined;
  const { organizationId = '' } = params as { readonly organizationId?: string };
  return principal.subject === BOOTSTRAP ? `${BOOTSTRAP} in ${organizationId.toLowerCase()}` : principal.subject;
}

function isCounted(endpoint: EndpointSpec): boolean {
  const { bytes, events, raw } = endpoint;
  return !bytes && !events && !raw && schemesOf(endpoint).some((scheme) => scheme !== 'service');
}

function weightOf({ headers }: FastifyRequest): number {
  return 1 + Math.floor(Number(headers['content-length'] ?? 0) / BODY_OF_A_CALL_BYTES);
}
