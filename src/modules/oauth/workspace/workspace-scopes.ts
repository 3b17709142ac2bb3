import type { AccessMode, AuthorizedScopes } from '../../integrations/index.ts';

/** With which the person who authorizes is told by name and lasting id. */
export const IDENTITY_SCOPES = ['openid', 'email'] as const;

/** What an authorization asks for. */
export function workspaceScopes(
  { required, services }: AuthorizedScopes,
  chosen: readonly string[],
  mode: AccessMode,
): readonly string[] {
  const ofServices = chosen.flatMap((name) => scopesOf(services[name], mode));
  return [...new Set([...IDENTITY_SCOPES, ...required, ...ofServices])];
}

/**
 * The services whose scopes all came back: people may leave some out. Undefined where what an entry always wants did not
 * come, or none of the chosen services did.
 */
export function grantedServices(
  { required, services }: AuthorizedScopes,
  chosen: readonly string[],
  mode: AccessMode,
  granted: readonly string[],
): readonly string[] | undefined {
  const has = (scope: string) => granted.includes(scope);
  if (!required.every(has)) return undefined;
  const whole = chosen.filter((name) => services[name] !== undefined && scopesOf(services[name], mode).every(has));
  return chosen.length > 0 && whole.length === 0 ? undefined : whole;
}

function scopesOf(service: AuthorizedScopes['services'][string] | undefined, mode: AccessMode): readonly string[] {
  if (!service) return [];
  return mode === 'read_only' ? service.read : [...service.read, ...service.write];
}
