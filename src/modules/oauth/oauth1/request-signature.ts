import { createHmac, randomBytes } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { SignatureMethod } from '../../../config/index.ts';

/** Whose request it is: the client, and what it was given so far. */
export interface Signer {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly signatureMethod: SignatureMethod;
  readonly token?: { readonly key: string; readonly secret: string };
}

const HASHES = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256' } as const;

/**
 * The `Authorization` of a request by OAuth 1.0a (RFC 5849); bodies other than forms are not signed. `own` are further
 * parameters of the protocol, such as `oauth_verifier`, and travel in the header too.
 *
 * The library signs; what it reads of a URL is read here, because it decodes neither the names of a query nor a `+`, drops an
 * empty value that is repeated, and keeps a default port.
 */
export function signedHeader(
  signer: Signer,
  method: string,
  address: string,
  own: Readonly<Record<string, string>> = {},
): string {
  const oauth = new OAuth({
    consumer: { key: signer.consumerKey, secret: signer.consumerSecret },
    signature_method: signer.signatureMethod,
    hash_function: (base, key) => createHmac(HASHES[signer.signatureMethod], key).update(base).digest('base64'),
  });
  // Its own is made of Math.random.
  oauth.getNonce = () => randomBytes(16).toString('hex');
  const url = new URL(address);
  const data = { ...valuesOf(url.searchParams), ...own };
  const signed = oauth.authorize({ url: `${url.origin}${url.pathname}`, method, data }, signer.token);
  return oauth.toHeader({ ...signed, ...own }).Authorization;
}

/** By name; a list where a name is repeated. */
function valuesOf(parameters: URLSearchParams): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(parameters.keys())) {
    const all = parameters.getAll(name);
    values[name] = all.length === 1 ? all[0]! : all;
  }
  return values;
}
