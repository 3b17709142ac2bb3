import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { EgressConfig } from '../../config/index.ts';
import { isPrivate, mayReach } from './address.policy.ts';
import { bareHost, type Destination, isLocalhost } from './destination.policy.ts';
import type { NameLookup } from './name-lookup.ts';
import { Refused } from './refused.ts';

/** How a destination is reached. */
export interface Route {
  /** All were checked. */
  readonly addresses: readonly string[];
  /** Authorities in PEM, instead of the usual ones. */
  readonly ca: string | undefined;
  /** Opens a tunnel to one of the addresses, with its port; undefined to connect directly. */
  readonly tunnel: ((target: string, signal: AbortSignal) => Promise<Socket>) | undefined;
}

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

  private addressesOf(host: string, signal: AbortSignal): readonly string[] | Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    if (isLocalhost(host)) return LOOPBACK;
    return this.names.addressesOf(host, signal);
  }
}

const LOOPBACK = ['127.0.0.1', '::1'];
