import type { ClientAuthMethod, SignatureMethod } from '../../config/index.ts';
import type { ClientSource } from './oauth.state.ts';

export const CLIENT_AUTH_METHODS = [
  'none',
  'client_secret_basic',
  'client_secret_post',
] as const satisfies readonly ClientAuthMethod[];

/** What an authorization works with: the server's addresses, and what the service is called there. Holds no secret. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  /** In OAuth 1.0a that of access tokens. */
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  /** Whether its answers name it (RFC 9207). */
  readonly namesItself: boolean;
  readonly client: AuthorizationClient;
  /** Of OAuth 1.0a. */
  readonly signatureMethod?: SignatureMethod;
}

export interface AuthorizationClient {
  readonly source: ClientSource;
  readonly clientId: string;
  readonly authMethod: ClientAuthMethod;
  /** The row of one that was registered. */
  readonly registrationId: string | null;
}

/** What a credential of kind `oauth2` keeps sealed. What one issuer gave is sent to that one alone. */
export interface OAuth2Secret {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly server: AuthorizationServer;
  /** Of a client that was registered; those of the configuration stay there. */
  readonly clientSecret: string | null;
}

/** The same of kind `oauth1`. */
export interface OAuth1Secret {
  readonly token: string;
  readonly tokenSecret: string;
  /** The client, which the configuration holds with its secret. */
  readonly origin: string;
  readonly consumerKey: string;
}

/** Adds parameters to an address, keeping those that it has. */
export function addressWith(address: string, parameters: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The address to which a browser is sent to authorize. */
export function authorizationAddress(
  server: AuthorizationServer,
  { state, challenge, redirectUri, scopes, resource, nonce, more }: AuthorizationRequest,
): string {
  return addressWith(server.authorizationEndpoint, {
    ...more,
    response_type: 'code',
    client_id: server.client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    ...(resource === null ? {} : { resource }),
    ...(nonce === null ? {} : { nonce }),
  });
}

export interface AuthorizationRequest {
  readonly state: string;
  /** Of the verifier, by S256. */
  readonly challenge: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly nonce: string | null;
  /** What only this server knows. */
  readonly more: Readonly<Record<string, string>>;
}
