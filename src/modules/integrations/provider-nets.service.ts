import { Injectable } from '@nestjs/common';
import { Egress, egressFetch, egressSockets } from '../../kernel/egress/index.ts';
import { ProviderAdapters, type ProviderNet, type ProviderSecret } from './provider-adapters.port.ts';

/** How long a provider is asked for one purpose, with all requests that it takes. */
export const NET_BOUNDS = {
  ownerCall: { wholeMs: 25_000, requestMs: 10_000 },
  read: { wholeMs: 20_000, requestMs: 10_000 },
  send: { wholeMs: 60_000, requestMs: 30_000 },
  call: { wholeMs: 20_000, requestMs: 10_000 },
  /** A page of figures, with what is asked before it. */
  report: { wholeMs: 90_000, requestMs: 30_000 },
  /** What is prepared and then sent in one connection. */
  action: { wholeMs: 110_000, requestMs: 30_000 },
} as const;
export type NetPurpose = keyof typeof NET_BOUNDS;

/** The longest answer that some adapter takes; each keeps its own bounds below it. */
const MOST_BYTES = 4 * 1_024 * 1_024;

/** The connector that is asked, and what its organization forbids. */
export interface AskedConnector {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly kind: string;
  readonly endpoint: string | null;
  readonly blockedDomains: readonly string[];
}

/** The way to a provider, before it is known with what secret. */
interface WayOut {
  readonly signal: AbortSignal;
  with(secret: ProviderSecret): ProviderNet;
}

/** The ways out to providers: each bound to the hosts of its connector, and to a time that begins now. */
@Injectable()
export class ProviderNetsService {
  constructor(
    private readonly egress: Egress,
    private readonly adapters: ProviderAdapters,
  ) {}

  to(connector: AskedConnector, purpose: NetPurpose, signal?: AbortSignal): WayOut {
    const { wholeMs, requestMs } = NET_BOUNDS[purpose];
    const whole = AbortSignal.timeout(wholeMs);
    const bounded = signal ? AbortSignal.any([signal, whole]) : whole;
    const { organizationId, integrationId, blockedDomains } = connector;
    // Four at once a connector, whatever else its organization asks.
    const caller = {
      organization: { id: organizationId, blockedDomains },
      places: integrationId,
      signal: bounded,
    };
    const sockets = egressSockets(this.egress, caller);
    return {
      signal: bounded,
      with: (secret) => ({
        signal: bounded,
        fetch: egressFetch(this.egress, {
          ...caller,
          hosts: this.originsOf(connector, secret),
          limits: { totalMs: requestMs, maxBytes: MOST_BYTES },
        }),
        ...(sockets ? { sockets: { ...sockets, connector: [integrationId, ...blockedDomains].join(' ') } } : {}),
      }),
    };
  }

  /** A secret goes only where it was given for: to the row's endpoint, or the hosts that the adapter is built for. */
  private originsOf({ kind, endpoint }: AskedConnector, secret: ProviderSecret): readonly string[] {
    if (endpoint !== null) return [new URL(endpoint).origin];
    const { hosts = [] } = this.adapters.of(kind) ?? {};
    return (typeof hosts === 'function' ? hosts(secret) : hosts).map((host) => `https://${host}`);
  }
}
