import type { Egress } from '../../egress/index.ts';

/** Reads a JSON document; rejects with an error that says to the operator why it could not. */
export type FetchJson = (url: string) => Promise<unknown>;

/** A provider that is slower counts as down, because requests with its tokens wait meanwhile. */
const TOTAL_MS = 3_000;
/** Keys with their certificates take some 2 kB each. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads documents of an issuer. The issuer's own origin stands in the configuration and may lie in the private network;
 * any other one, which only the issuer's documents name, must be public.
 */
export function fetchJsonOf(issuer: string, egress: Egress): FetchJson {
  const { origin } = new URL(issuer);
  return async (url) => {
    const isOwn = URL.canParse(url) && new URL(url).origin === origin;
    const result = await egress.send({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      limits: { totalMs: TOTAL_MS, maxBytes: MAX_BYTES },
      hosts: isOwn ? { configured: origin } : 'public',
    });
    const name = url.slice(0, 200);
    if ('refusal' in result) throw new Error(`${name} cannot be read: ${result.refusal} (${result.detail})`);
    if (result.status !== 200) throw new Error(`${name} answered ${result.status}`);
    try {
      return JSON.parse(result.body.toString()) as unknown;
    } catch {
      throw new Error(`${name} did not answer JSON`);
    }
  };
}
