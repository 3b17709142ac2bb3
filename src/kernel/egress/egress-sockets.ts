import type { Egress } from './egress.ts';
import { EgressFailure } from './egress-fetch.ts';
import type { EgressRequest } from './egress-request.ts';
import { Refused, refusedBy } from './refused.ts';
import type { NamedServices } from './routes.ts';

/** For whom a driver works, and until when. */
export type SocketOptions = Pick<EgressRequest, 'organization' | 'places'> & { readonly signal: AbortSignal };

/**
 * What a driver needs that opens its sockets by itself: the servers that it may connect to, and a place among the requests
 * at once. It must look no name up by itself.
 */
export interface EgressSockets {
  /**
   * The servers behind a name by its SRV records, with addresses that were judged, and the texts beside them. Throws an
   * `EgressFailure`, before anything was connected.
   */
  servicesOf(service: string, domain: string): Promise<NamedServices>;
  /** Does what takes one of the places; throws what it throws, or an `EgressFailure` where no place was free in time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** The way out for a driver; undefined where it leads through a forward proxy, which drivers know nothing of. */
export function egressSockets(
  egress: Egress,
  { organization, places, signal }: SocketOptions,
): EgressSockets | undefined {
  if (!egress.isDirect) return undefined;
  return {
    async servicesOf(service, domain) {
      try {
        return await egress.servicesOf(service, domain, organization?.blockedDomains ?? [], signal);
      } catch (error) {
        throw failureBy(error);
      }
    },
    async inTurn(work) {
      try {
        return await egress.occupied(places ?? organization?.id, signal, work);
      } catch (error) {
        throw error instanceof Refused ? failureBy(error) : error;
      }
    },
  };
}

function failureBy(error: unknown): EgressFailure {
  const { refusal, message } = refusedBy(error);
  return new EgressFailure(refusal, false, message);
}
