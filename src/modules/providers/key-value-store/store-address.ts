import { EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import type { GivenSecret } from '../../integrations/index.ts';

const ADDRESS = /^https:\/\/([a-z0-9.-]{1,253})\/?$/i;
const LABELS = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The host of an address of a store, if it is one: https, a host below one of the domains, and nothing else. */
export function hostOfStore(url: string, suffixes: readonly string[]): string | undefined {
  const host = ADDRESS.exec(url)?.[1]?.toLowerCase();
  if (host === undefined) return undefined;
  const isBelow = suffixes.some((suffix) => host.endsWith(suffix) && LABELS.test(host.slice(0, -suffix.length)));
  return isBelow ? host : undefined;
}

/** The credential in its one form, by which a store is known again. */
export function storeCredential({ url = '', token = '' }: GivenSecret, suffixes: readonly string[]): GivenSecret {
  const host = hostOfStore(url, suffixes);
  if (host === undefined) {
    const hosts = suffixes.map((suffix) => `https://…${suffix}`).join(' or ');
    throw invalid('url', EdgeIssues.invalidUri, `must be ${hosts}, with nothing behind it`);
  }
  if (!TOKEN.test(token)) throw invalid('token', EdgeIssues.invalidText, 'must be visible ASCII characters');
  return { url: `https://${host}`, token };
}
