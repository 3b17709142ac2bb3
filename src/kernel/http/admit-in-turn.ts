import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Admission } from '../admission/index.ts';
import { ApiError, EdgeErrors } from '../errors/index.ts';
import { type EndpointSpec, schemesOf } from './endpoint.ts';

/** More of one tenant gain nothing: its share of the connections is smaller, and reads that come together share one. */
const AT_ONCE = 32;
/** What may wait of one tenant, in calls, a larger body counting for several: it is in memory meanwhile. */
const QUEUE = 1_000;
const BODY_OF_A_CALL_BYTES = 16 * 1024;
const WAIT_MS = 10_000;

/**
 * Lets a bounded number of each tenant's requests into the handlers at once; the next waits before it costs more than its
 * parsing, so that however many come at once, others' requests go between them. (Measured: of 700 creations that came
 * together the event loop did guards, validation and the first statements in one go, half a second.) Bytes and event
 * streams, which take as long as their clients, are not counted, nor are lease calls and health.
 */
export function admitInTurn(fastify: FastifyInstance): void {
  const admission = new Admission({ size: Number.POSITIVE_INFINITY, share: AT_ONCE, queue: QUEUE, waitMs: WAIT_MS });
  /** Until the answer is out, or whoever asked is gone. */
  const hold = (tenant: string, { raw }: FastifyReply) => {
    const leave = () => {
      raw.off('finish', leave).off('close', leave);
      admission.leave(tenant);
    };
    raw.on('finish', leave).on('close', leave);
  };
  fastify.addHook('preHandler', async (request, reply) => {
    const tenant = tenantOf(request);
    if (tenant === undefined) return;
    const turn = admission.enter(tenant, weightOf(request));
    if (turn) await turn;
    if (!reply.raw.destroyed) return hold(tenant, reply);
    admission.leave(tenant);
    // Gone before its turn came: nothing was begun.
    throw new ApiError(EdgeErrors.serviceUnavailable);
  });
}

/** The organization, its owners apart from its executions; where the path names none, the token. */
function tenantOf({ routeOptions, params, headers }: FastifyRequest): string | undefined {
  const { endpoint } = routeOptions.config;
  if (!endpoint || !isCounted(endpoint)) return undefined;
  const { organizationId } = params as { readonly organizationId?: string };
  const tenant = organizationId?.toLowerCase() ?? headers.authorization;
  return routeOptions.url?.startsWith('/internal/') ? `agent ${tenant}` : tenant;
}

function isCounted(endpoint: EndpointSpec): boolean {
  const { bytes, events, raw } = endpoint;
  return !bytes && !events && !raw && schemesOf(endpoint).some((scheme) => scheme !== 'service');
}

function weightOf({ headers }: FastifyRequest): number {
  return 1 + Math.floor(Number(headers['content-length'] ?? 0) / BODY_OF_A_CALL_BYTES);
}
