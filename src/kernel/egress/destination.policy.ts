import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { mayReach, type Reach } from './address.policy.ts';
import type { Hosts } from './egress-request.ts';
import { Refused } from './refused.ts';

/** What a request may reach, and by whose rules. */
export interface Scope {
  readonly hosts: Hosts;
  readonly blockedDomains: readonly string[];
  readonly localPeers: readonly string[];
}

export interface Destination {
  readonly url: URL;
  readonly reach: Reach;
  /** Without brackets and without the dot of the root, as certificates have it. */
  readonly host: string;
  /** Set where the URL names an address instead of a host. */
  readonly address: string | undefined;
}

/** Judges a URL before anything is looked up. The URL parser has brought hosts and addresses into one spelling. */
export function destinationOf(text: string, scope: Scope): Destination {
  if (!URL.canParse(text)) throw new Refused('refused_address', 'not a URL');
  const url = new URL(text);
  url.hash = '';
  const isPeer = scope.localPeers.includes(url.origin);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPeer))
    throw new Refused('not_https', `the URL begins with ${url.protocol}`);
  if (url.username || url.password) throw new Refused('refused_address', 'the URL contains credentials');
  const host = bareHost(url);
  if (isBlocked(host, scope.blockedDomains)) throw new Refused('blocked_domain', 'the organization blocks the domain');
  const reach = isPeer ? 'local' : reachOf(url, scope.hosts);
  const address = isIP(host) === 0 ? undefined : host;
  if (address !== undefined && !mayReach(address, reach))
    throw new Refused('refused_address', 'the URL names an address that is not public');
  if (address === undefined && reach !== 'local' && isLocalhost(host))
    throw new Refused('refused_address', 'the URL names this machine');
  return { url, reach, host, address };
}

/** The host without brackets and without the dot of the root. */
export function bareHost({ hostname }: URL): string {
  return withoutRootDot(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function withoutRootDot(host: string): string {
  return host.replace(/\.+$/, '');
}

/** Domains that browsers and resolvers take for this machine, whatever name servers say. */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function reachOf({ origin, port }: URL, hosts: Hosts): Reach {
  if (hosts === 'public') {
    // Below 1024 listen services that speak other protocols, and could be made to read a request as their own.
    if (port !== '' && Number(port) < 1_024) throw new Refused('refused_address', `port ${port} is not permitted`);
    return 'public';
  }
  const listed = isList(hosts) ? hosts : [hosts.configured];
  if (!listed.some((each) => new URL(each).origin === origin))
    throw new Refused('refused_address', 'the origin is not one of those that this request may reach');
  return isList(hosts) ? 'public' : 'configured';
}

function isList(hosts: Exclude<Hosts, 'public'>): hosts is readonly string[] {
  return Array.isArray(hosts);
}

/** Whether the host or a domain above it is blocked; both sides as the URL parser spells hosts. */
function isBlocked(host: string, blockedDomains: readonly string[]): boolean {
  return blockedDomains.some((given) => {
    const domain = withoutRootDot(domainToASCII(given));
    return host === domain || host.endsWith(`.${domain}`);
  });
}
