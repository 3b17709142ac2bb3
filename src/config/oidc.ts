import { ConfigError } from './setting.ts';
import type { Settings } from './settings.ts';

/** The OpenID provider whose tokens owners may use. */
export interface OidcConfig {
  /** Exactly as the tokens' `iss` and the provider's discovery document have it. */
  readonly issuer: string;
  /** A token must be meant for one of them. */
  readonly audiences: readonly string[];
}

/** Refuses an issuer without an audience, which would accept tokens made for other services, and the reverse. */
export function requireWholeOidc({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience }: Settings): void {
  if (issuer !== undefined && audience === undefined)
    throw new ConfigError('OIDC_AUDIENCE', 'is required when OIDC_ISSUER is set');
  if (issuer === undefined && audience !== undefined)
    throw new ConfigError('OIDC_ISSUER', 'is required when OIDC_AUDIENCE is set');
}

/** The provider of the settings, or undefined when owners have only personal tokens. */
export function oidcOf(settings: Settings): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience } = settings;
  return issuer === undefined || audience === undefined ? undefined : { issuer, audiences: audience };
}
