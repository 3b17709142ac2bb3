import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { EgressConfig } from '../../config/index.ts';
import { isPrivate, mayReach } from './address.policy.ts';
import { bareHost, type Destination, destinationOf, isLocalhost } from './destination.policy.ts';
import type { NameLookup } from './name-lookup.ts';
import { Refused, refusedBy } from './refused.ts';

/** How a destination is reached. */
export interface Route {
  /** All were checked. */
  readonly addresses: readonly string[];
  /** Authorities in PEM, instead of the usual ones. */
  readonly ca: string | undefined;
  /** Opens a tunnel to one of the addresses, with its port; undefined to connect directly. */
  readonly tunnel: ((target: string, signal: AbortSignal) => Promise<Socket>) | undefined;
}

/** Servers of a service that a driver connects to by itself. */
export interface NamedServices {
  /** In the order of the records. */
  readonly servers: readonly NamedServer[];
  /** The text records of the domain. */
  readonly texts: readonly string[];
}

export interface NamedServer {
  readonly host: string;
  readonly port: number;
  /** All were checked. */
  readonly addresses: readonly string[];
}

/** Of one service. */
const MOST_SERVERS = 50;

/** Finds and checks the addresses of destinations, and knows which of them lie behind the forward proxy. */
export class Routes {
  private readonly tunnel: Route['tunnel'];

  constructor(
    private readonly config: EgressConfig,
    private readonly names: NameLookup,
  ) {
    const { proxy } = config;
    if (!proxy) return;
    this.tunnel = async (target, signal) => {
      const { openTunnel } = await import('./forward-proxy.ts');
      return openTunnel({ proxy, addresses: await this.addressesOf(bareHost(proxy), signal), target, signal });
    };
  }

  /** One address that may not be reached refuses the host as a whole. */
  async to({ host, reach }: Destination, signal: AbortSignal): Promise<Route> {
    const addresses = await this.addressesOf(host, signal);
    if (!addresses.every((each) => mayReach(each, reach)))
      throw new Refused('refused_address', 'the host has an address that is not public');
    const isInside = reach === 'local' || addresses.some(isPrivate);
    return {
      addresses,
      ca: reach === 'local' ? this.config.localCa : undefined,
      tunnel: isInside ? undefined : this.tunnel,
    };
  }

  /**
   * The servers of a service at a domain, which lie below the domain's parent. What may not be reached refuses all of them;
   * what has no address is left out while another one has.
   */
  async services(
    service: string,
    domain: string,
    blockedDomains: readonly string[],
    signal: AbortSignal,
  ): Promise<NamedServices> {
    const scope = { hosts: 'public', blockedDomains, localPeers: [] } as const;
    destinationOf(`https://${domain}`, scope);
    const { servers, texts } = await this.names.recordsOf(service, domain, signal);
    const parent = domain.slice(domain.indexOf('.'));
    const destinations = servers.slice(0, MOST_SERVERS).map(({ host, port }) => {
      const destination = destinationOf(`https://${host}:${port}`, scope);
      if (destination.address !== undefined || !destination.host.endsWith(parent))
        throw new Refused('refused_address', 'a server of the name lies in another domain');
      return { destination, port };
    });
    const found = await Promise.allSettled(
      destinations.map(async ({ destination, port }): Promise<NamedServer> => {
        const { addresses } = await this.to(destination, signal);
        return { host: destination.host, port, addresses };
      }),
    );
    const refused = found.map((each) => (each.status === 'rejected' ? refusedBy(each.reason) : undefined));
    const fatal = refused.find((each) => each !== undefined && each.refusal !== 'unreachable');
    const standing = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (fatal) throw fatal;
    if (standing.length === 0) throw refused[0] ?? new Refused('unreachable', 'the name has no servers');
    return { servers: standing, texts };
  }

  private addressesOf(host: string, signal: AbortSignal): readonly string[] | Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    if (isLocalhost(host)) return LOOPBACK;
    return this.names.addressesOf(host, signal);
  }
}

const LOOPBACK = ['127.0.0.1', '::1'];
