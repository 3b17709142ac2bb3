import { createLocalJWKSet, type JWK } from 'jose';
import type { FetchJson } from './fetch-json.ts';

export type KeySet = ReturnType<typeof createLocalJWKSet>;

/** Kinds of keys that sign with a public half; a symmetric one must never verify what everybody could sign. */
const KEY_TYPES: ReadonlySet<unknown> = new Set(['RSA', 'EC', 'OKP']);

/** The keys for signatures of an issuer, found by discovery (OpenID Connect Discovery 1.0). */
export async function fetchKeySet(issuer: string, fetchJson: FetchJson): Promise<KeySet> {
  const discovery = await fetchJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (!isObject(discovery)) throw new Error('its discovery document is no JSON object; check OIDC_ISSUER');
  if (discovery.issuer !== issuer)
    throw new Error(
      `its discovery document has the issuer ${quoted(discovery.issuer)}; set OIDC_ISSUER to exactly what its tokens have in "iss"`,
    );
  if (typeof discovery.jwks_uri !== 'string') throw new Error('its discovery document has no jwks_uri');
  const document = await fetchJson(discovery.jwks_uri);
  const keys = isObject(document) && Array.isArray(document.keys) ? document.keys.filter(isSignatureKey) : [];
  if (keys.length === 0) throw new Error('its key set has no key for signatures with a kid');
  return createLocalJWKSet({ keys });
}

function isSignatureKey(key: unknown): key is JWK {
  return isObject(key) && KEY_TYPES.has(key.kty) && typeof key.kid === 'string' && (key.use ?? 'sig') === 'sig';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 200);
}
