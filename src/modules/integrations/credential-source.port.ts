import type { CredentialKind, CredentialPurpose, CredentialState } from './integration.state.ts';
import type { ProviderSecret } from './provider-adapters.port.ts';

/** A credential as it stands in the database, its secret sealed. */
export interface StoredCredential {
  readonly organizationId: string;
  readonly integrationId: string;
  readonly purpose: CredentialPurpose;
  readonly generation: number;
  readonly kind: CredentialKind;
  readonly state: CredentialState;
  readonly identity: string | null;
  readonly scopes: readonly string[];
  readonly issuer: string | null;
  readonly resource: string | null;
  readonly tokenVersion: number;
  readonly accessExpiresAt: string | null;
  /** Seconds that the access token is still good for by the database's clock; null for what does not expire. */
  readonly accessSecondsLeft: number | null;
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly sealed: Buffer;
}

/** What requests are authorized with now. */
export interface Authorized {
  readonly secret: ProviderSecret;
  readonly tokenVersion: number;
  /** Values that must not appear in what agents get: the token or keys that the requests carry. */
  readonly secrets: readonly string[];
}

export interface AuthorizedCredentials {
  /**
   * Good for so many seconds, refreshed once for all replicas where it is not. 409 `needs_credentials` where a person has to
   * authorize anew, 503 where the authorization server does not answer.
   */
  authorization(credential: StoredCredential, validForSeconds: number, signal: AbortSignal): Promise<Authorized>;
  /** After a 401: one refresh of this version of the token, or what another one has refreshed meanwhile. */
  renewed(credential: StoredCredential, tokenVersion: number, signal: AbortSignal): Promise<Authorized>;
}

/** Port: declared here, implemented by `oauth`, for the credentials that an authorization gave. */
export class CredentialSource {
  private source: AuthorizedCredentials | undefined;

  register(source: AuthorizedCredentials): void {
    if (this.source) throw new Error('Two modules refresh tokens.');
    this.source = source;
  }

  authorization(credential: StoredCredential, validForSeconds: number, signal: AbortSignal): Promise<Authorized> {
    return this.known.authorization(credential, validForSeconds, signal);
  }

  renewed(credential: StoredCredential, tokenVersion: number, signal: AbortSignal): Promise<Authorized> {
    return this.known.renewed(credential, tokenVersion, signal);
  }

  private get known(): AuthorizedCredentials {
    if (!this.source) throw new Error('No module refreshes tokens.');
    return this.source;
  }
}
