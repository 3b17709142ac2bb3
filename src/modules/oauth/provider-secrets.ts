import type { ProviderSecret } from '../integrations/index.ts';
import { type Signer, signedHeader } from './oauth1/request-signature.ts';

/** Requests with a token in the header, and nowhere else. */
export function bearerSecret(accessToken: string): ProviderSecret {
  const headers = { authorization: `Bearer ${accessToken}` };
  return { kind: 'authorized', authorize: () => headers };
}

/** Requests that are signed one by one. */
export function signedSecret(signer: Signer): ProviderSecret {
  return { kind: 'authorized', authorize: (method, url) => ({ authorization: signedHeader(signer, method, url) }) };
}
