import { describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import { fetchKeySet } from './provider-documents.ts';

const ISSUER = 'https://login.acme.test/realms/acme/';
const DISCOVERY = 'https://login.acme.test/realms/acme/.well-known/openid-configuration';
const KEYS = 'https://keys.acme.test/jwks';

/** The key set of a provider with these documents. */
const keySetOf = (documents: Readonly<Record<string, unknown>>) =>
  fetchKeySet(ISSUER, (url) => Promise.resolve(documents[url]));

describe('the keys of an issuer', () => {
  it('are found where its discovery document says, and are only those for signatures', async () => {
    const { publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'a' };
    const find = await keySetOf({
      [DISCOVERY]: { issuer: ISSUER, jwks_uri: KEYS },
      [KEYS]: { keys: [{ ...jwk, kid: 'b', use: 'enc' }, null, 7, { kty: 'oct', kid: 'c', k: 'c2Vj' }, jwk] },
    });
    expect((await find({ alg: 'ES256', kid: 'a' })).type).toBe('public');
    for (const kid of ['b', 'c']) await expect(find({ alg: 'ES256', kid })).rejects.toThrow('no applicable key');
  });

  it.each<[string, unknown, string]>([
    [
      'another issuer',
      { issuer: ISSUER.slice(0, -1), jwks_uri: KEYS },
      'has the issuer "https://login.acme.test/realms/acme"; set OIDC_ISSUER',
    ],
    ['no issuer', { jwks_uri: KEYS }, 'has the issuer nothing; set OIDC_ISSUER'],
    ['no object', 'x', 'is no JSON object; check OIDC_ISSUER'],
    ['no address of keys', { issuer: ISSUER }, 'has no jwks_uri'],
    ['no keys', { issuer: ISSUER, jwks_uri: KEYS }, 'has no key for signatures'],
  ])('are not those of a document with %s, and the operator is told', async (_what, document, message) => {
    await expect(keySetOf({ [DISCOVERY]: document, [KEYS]: { keys: [] } })).rejects.toThrow(message);
  });

  it('makes no endless line of what a document contains', async () => {
    const failure = await keySetOf({ [DISCOVERY]: { issuer: 'x'.repeat(10_000) } }).catch((error: Error) => error);
    expect((failure as Error).message.length).toBeLessThan(500);
  });
});
