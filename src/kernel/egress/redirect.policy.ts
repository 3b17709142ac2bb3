import type { EgressRequest } from './egress-request.ts';
import { Refused } from './refused.ts';

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EgressRequest['body'];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers without secrets; any other may be a credential, whatever its name. */
const HARMLESS = new Set(['accept', 'accept-language', 'content-type']);

/** Where an answer points, or undefined if it is no redirect. */
export function locationOf(status: number, location: string | string[] | undefined): string | undefined {
  return REDIRECTS.has(status) && typeof location === 'string' ? location : undefined;
}

/** The next request of a chain, by the rules of browsers; another origin gets neither credentials nor a body. */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  if (!URL.canParse(location, hop.url)) throw new Refused('redirect', 'the answer redirects to what is not a URL');
  const url = new URL(location, hop.url);
  const isElsewhere = url.origin !== new URL(hop.url).origin;
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST');
  const method = becomesGet ? 'GET' : hop.method;
  const body = becomesGet ? undefined : hop.body;
  if (isElsewhere && body !== undefined)
    throw new Refused('redirect', 'the answer redirects the body of the request to another origin');
  const kept = Object.entries(hop.headers).filter(
    ([name]) => (!isElsewhere || HARMLESS.has(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return { url: url.href, method, headers: Object.fromEntries(kept), body };
}
