import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Which addresses a host may have: public ones; also private ones (RFC 1918, ULA), for an origin of the deployment's
 * configuration; also loopback, for a local peer.
 */
export type Reach = 'public' | 'configured' | 'local';

const PRIVATE = ['private', 'uniqueLocal'];
const RANGES: Readonly<Record<Reach, ReadonlySet<string>>> = {
  public: new Set(['unicast']),
  configured: new Set(['unicast', ...PRIVATE]),
  local: new Set(['unicast', ...PRIVATE, 'loopback']),
};

/** All that IANA has given out for hosts; what lies outside is special, or translates IPv4. */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * Services of cloud providers for the machine itself, among them its credentials, at addresses that look public or
 * private. Those at link-local, shared and reserved addresses need no line.
 */
const METADATA = [
  '168.63.129.16/32', // Azure
  'fd00:ec2::/32', // AWS
  'fd20:ce::/32', // Google Cloud
  'fd00:42::42/128', // Scaleway
].map((range) => ipaddr.parseCIDR(range));

/** Whether an address in its canonical spelling may be connected to. */
export function mayReach(address: string, reach: Reach): boolean {
  const parsed = ipaddr.parse(address);
  return RANGES[reach].has(rangeOf(parsed)) && !METADATA.some((range) => isWithin(parsed, range));
}

export function isPrivate(address: string): boolean {
  return PRIVATE.includes(rangeOf(ipaddr.parse(address)));
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range = address.range();
  const isUnassigned = range === 'unicast' && address.kind() === 'ipv6' && !isWithin(address, GLOBAL_IPV6);
  return isUnassigned ? 'unassigned' : range;
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, range: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}

/** An address as the host of a URL. */
export function asHost(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
