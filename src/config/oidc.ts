import { ConfigError } from './values/index.ts';
import type { Settings } from './settings.ts';

/** The OpenID provider whose tokens owners may use. */
export interface OidcConfig {
  /** Exactly as the tokens' `iss` and the provider's discovery document have it. */
  readonly issuer: string;
  /** A token must be meant for one of them. */
  readonly audiences: readonly string[];
}

/**
 * An issuer without an audience, which would accept tokens made for other services, or the reverse; and one without TLS
 * whose keys anybody on the way could replace.
 */
export function oidcFaults(settings: Settings): ConfigError[] {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, EGRESS_LOCAL_PEERS: localPeers } = settings;
  if (issuer?.startsWith('http:') && !localPeers.includes(new URL(issuer).origin))
    return [
      new ConfigError(
        'OIDC_ISSUER',
        'must begin with https:; in a trial http: is allowed for an origin of EGRESS_LOCAL_PEERS',
      ),
    ];
  if (issuer !== undefined && audience === undefined)
    return [new ConfigError('OIDC_AUDIENCE', 'is required when OIDC_ISSUER is set')];
  if (issuer === undefined && audience !== undefined)
    return [new ConfigError('OIDC_ISSUER', 'is required when OIDC_AUDIENCE is set')];
  return [];
}

/** The provider of the settings, or undefined when owners have only personal tokens. */
export function oidcOf(settings: Settings): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience } = settings;
  return issuer === undefined || audience === undefined ? undefined : { issuer, audiences: audience };
}
