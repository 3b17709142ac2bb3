import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { type SealedSecret, Secrets, UnreadableSecret } from '../../../kernel/secrets/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { type Authorized, CredentialSource, type StoredCredential } from '../credential-source.port.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import type { GivenSecret } from '../provider-adapters.port.ts';
import { UnreadableCredential } from '../provider-failures.ts';
import { type CredentialPlace, isGiven, providerSecretOf, secretContext, secretValues } from './credential-secret.ts';
import { markUnreadable } from './credential.queries.ts';

/** Seals what providers were given, and opens it for the requests that use it. */
@Injectable()
export class ConnectorSecretsService {
  private readonly logger = new Logger('Integrations');

  constructor(
    private readonly secrets: Secrets,
    private readonly source: CredentialSource,
    private readonly transactions: Transactions,
  ) {}

  seal(place: CredentialPlace, secret: object): SealedSecret {
    return this.secrets.seal(secret, secretContext(place));
  }

  /** What was sealed; 409 `needs_credentials` where it does not open, which is then written down. */
  async open<Secret>(credential: StoredCredential): Promise<Secret> {
    try {
      return this.secrets.open<Secret>(credential, secretContext(credential));
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      await this.markUnreadable(credential);
      throw new UnreadableCredential();
    }
  }

  /**
   * What requests are authorized with for so many seconds; 409 `needs_credentials` where a person has to connect anew, 503
   * where a token cannot be refreshed right now.
   */
  async authorization(
    credential: StoredCredential,
    connectorKind: string,
    validForSeconds: number,
    signal: AbortSignal,
  ): Promise<Authorized> {
    const { kind, state, tokenVersion } = credential;
    if (state !== 'connected') throw conflict(IntegrationIssues.needsCredentials);
    if (!isGiven(kind)) return this.source.authorization(credential, validForSeconds, signal);
    const secret = await this.open<GivenSecret>(credential);
    return { secret: providerSecretOf(connectorKind, kind, secret), tokenVersion, secrets: secretValues(secret) };
  }

  /** After a 401; undefined for what cannot be renewed. */
  async renewed(
    credential: StoredCredential,
    tokenVersion: number,
    signal: AbortSignal,
  ): Promise<Authorized | undefined> {
    return isGiven(credential.kind) ? undefined : this.source.renewed(credential, tokenVersion, signal);
  }

  private async markUnreadable(credential: StoredCredential): Promise<void> {
    const { organizationId, integrationId } = credential;
    this.logger.error(`the credential of the integration ${integrationId} cannot be opened with ENCRYPTION_KEYS`);
    await this.transactions.batch(standingAccess(organizationId, NOT_FOUND), [markUnreadable(credential)]);
  }
}
