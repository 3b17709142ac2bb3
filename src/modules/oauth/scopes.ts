const MOST = 50;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
export const OFFLINE = 'offline_access';

interface Told {
  /** What the server's challenge asks for. */
  readonly challenged: string | undefined;
  /** `scopes_supported` of the resource. */
  readonly ofResource: readonly string[] | undefined;
  /** `scopes_supported` of the issuer. */
  readonly ofIssuer: readonly string[] | undefined;
  /** What calls were refused for, and what the connection has. */
  readonly needed: readonly string[];
}

/** What an authorization asks for; nothing where nobody says anything. */
export function askedScopes({ challenged, ofResource, ofIssuer, needed }: Told): readonly string[] {
  const base = challenged === undefined ? (ofResource ?? []) : scopesIn(challenged);
  const wanted = [...base, ...needed].filter((scope) => SCOPE.test(scope) && scope !== OFFLINE);
  // Without it no refresh token comes from issuers that know it; others may refuse what they do not know.
  const offline = ofIssuer?.includes(OFFLINE) ? [OFFLINE] : [];
  return [...new Set([...offline, ...wanted])].slice(0, MOST);
}

export function scopesIn(text: string): readonly string[] {
  return [...new Set(text.split(' ').filter((scope) => SCOPE.test(scope)))].slice(0, MOST);
}
