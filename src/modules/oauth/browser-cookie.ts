import { OAUTH } from './oauth.policy.ts';

/** Where a cookie is sent, and how. */
export interface CookiePlace {
  readonly path: string;
  readonly isSecure: boolean;
}

/**
 * The cookie that binds an authorization to the browser that started it; each has a name of its own, made of the hash of the
 * state, so that several at once do not take each other's.
 */
export function cookieName(stateHash: string, { isSecure }: CookiePlace): string {
  return `${isSecure ? '__Secure-' : ''}oauth-${stateHash.slice(0, 16)}`;
}

export function bindingCookie(stateHash: string, value: string, place: CookiePlace): string {
  const secure = place.isSecure ? '; Secure' : '';
  const seconds = OAUTH.stateMinutes * 60;
  return `${cookieName(stateHash, place)}=${value}; Path=${place.path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of a cookie of this name; undefined where none came, or several. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}
