import { validateHeaderName, validateHeaderValue } from 'node:http';
import { outgoingTraceparent } from '../tracing/index.ts';
import type { Reach } from './address.policy.ts';

/** Headers of the connection, and those that the client sets itself. */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

export const USER_AGENT = 'business-runner';

/** Whether the client sets a header itself; its name in lower case. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** The caller's headers with names in lower case; nothing is added from the request that the service itself answers. */
export function callersHeaders(given: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const headers = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  const reserved = headers.find(([name]) => RESERVED.has(name));
  if (reserved) throw new TypeError(`${reserved[0]} is set by the egress client; leave it out`);
  for (const [name, value] of headers) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  return Object.fromEntries(headers);
}

/**
 * All headers of one request on the wire but those of the connection. Only hosts of the deployment's own learn of its
 * traces.
 */
export function outgoingHeaders(
  headers: Readonly<Record<string, string>>,
  reach: Reach,
  userAgent = USER_AGENT,
): Record<string, string> {
  const traceparent = reach === 'public' ? undefined : outgoingTraceparent();
  return {
    ...headers,
    ...(traceparent === undefined ? {} : { traceparent }),
    'accept-encoding': 'identity',
    'user-agent': userAgent,
  };
}
