import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { type OwnerIdentity, SCOPES } from '../../principals/index.ts';
import { codePoints, normalizeName } from '../../validation/index.ts';

/** How far the clocks of provider and service may differ. */
export const CLOCK_SKEW_SECONDS = 60;

/** Types of ID tokens and access tokens (RFC 9068); others, such as `logout+jwt`, are not made to call with. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'application/jwt', 'at+jwt', 'application/at+jwt']);
const ACCESS_TOKEN = /^(application\/)?at\+jwt$/i;

/** What OpenID Connect allows for `sub`, without spaces, which subjects of members do not have. */
const SUB = /^[\x21-\x7e]{1,255}$/;
/** The year 10000, after which timestamps of the API end. */
const END_SECONDS = 253_402_300_800;
const NAME_MAX_LENGTH = 100;

export function isCallersType({ typ }: JWTHeaderParameters): boolean {
  return TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ);
}

/** The claim for which a token is refused that the provider signed and meant for this audience; undefined if for none. */
export function refusedClaim(
  claims: JWTPayload,
  { typ }: JWTHeaderParameters,
  audiences: readonly string[],
  nowSeconds: number,
): string | undefined {
  const { sub, exp, iat } = claims;
  if (typeof sub !== 'string' || !SUB.test(sub)) return 'sub';
  if (typeof exp !== 'number' || !(exp < END_SECONDS)) return 'exp';
  if (iat !== undefined && iat > nowSeconds + CLOCK_SKEW_SECONDS) return 'iat';
  // A logout token or another security event: it tells of a person, who did not send it.
  if (claims.events !== undefined) return 'events';
  // It is bound to a key that the caller would have to prove, which a bearer token does not.
  if (claims.cnf !== undefined) return 'cnf';
  // An ID token for several parties names the one that asked for it; access tokens are often for several APIs.
  const isIdToken = !ACCESS_TOKEN.test(typ ?? '') && claims.scope === undefined && claims.scp === undefined;
  if (isIdToken && Array.isArray(claims.aud) && claims.aud.length > 1 && !audiences.includes(claims.azp as string))
    return 'azp';
  return undefined;
}

/** The owner of claims that are not refused. What a person may do, memberships say; the claim `scope` is the provider's own. */
export function ownerOf(issuer: string, claims: JWTPayload): OwnerIdentity {
  const subject = `oidc:${issuer}|${claims.sub}`;
  const name = [claims.name, claims.preferred_username, claims.email].map(cleanName).find((each) => each !== undefined);
  // Frozen, because all requests with this token share it.
  return Object.freeze({
    kind: 'owner',
    subject,
    name: name ?? subject,
    tokenId: null,
    expiresAt: new Date(claims.exp! * 1000).toISOString().replace('Z', '000Z'),
    scopes: SCOPES,
    organizationIds: null,
  });
}

/** A name for the activity log: no controls, no marks that turn the direction of text, at most 100 characters. */
function cleanName(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const plain = claim.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const name = normalizeName(plain, NAME_MAX_LENGTH);
  if (name === '') return undefined;
  return codePoints(name) <= NAME_MAX_LENGTH ? name : `${[...name].slice(0, NAME_MAX_LENGTH - 1).join('')}…`;
}
