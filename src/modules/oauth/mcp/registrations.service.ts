import { Injectable } from '@nestjs/common';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { Secrets } from '../../../kernel/secrets/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { conflict, NOT_FOUND } from '../../integrations/index.ts';
import type { AuthorizationClient } from '../authorization-server.ts';
import { clientMetadata } from '../client-metadata.dto.ts';
import { textOf } from '../documents.ts';
import { registerClient } from '../oauth2/token-endpoint.ts';
import { OauthIssues } from '../oauth.errors.ts';
import { unavailable } from '../unavailable.ts';
import { answeredMethod, registeredMethod } from './client-choice.ts';
import type { IssuerMetadata } from './issuer-metadata.ts';
import {
  type ClientRow,
  countUnanswered,
  insertClient,
  rejectClient,
  removeUnusable,
  resetUnanswered,
  usableClient,
} from './oauth-clients.queries.ts';

/** A client with what proves it. */
export interface RegisteredClient {
  readonly client: AuthorizationClient;
  readonly clientSecret: string | null;
}

interface ClientSecret {
  readonly clientSecret: string | null;
}

/** What the service is called where it registered itself: one client an organization and issuer, kept while it is known there. */
@Injectable()
export class RegistrationsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
  ) {}

  async clientAt(
    organizationId: string,
    address: string,
    { issuer, authMethods }: IssuerMetadata,
    redirectUri: string,
    get: typeof fetch,
  ): Promise<RegisteredClient> {
    const kept = await this.reads.through(accessTo(organizationId), usableClient(organizationId, issuer, redirectUri));
    if (kept[0]) return this.opened(organizationId, kept[0]);
    const metadata = { ...clientMetadata(redirectUri), token_endpoint_auth_method: registeredMethod(authMethods) };
    const answer = await registerClient(address, issuer, metadata, get).catch(() => {
      throw unavailable();
    });
    const clientSecret = (answer && textOf(answer, 'client_secret')) ?? null;
    const authMethod = answer && answeredMethod(textOf(answer, 'token_endpoint_auth_method'), clientSecret !== null);
    if (!answer || !authMethod) throw conflict(OauthIssues.noClient);
    const expiry = answer.client_secret_expires_at;
    const id = newId();
    const sealed = this.secrets.seal({ clientSecret } satisfies ClientSecret, contextOf(organizationId, id));
    const secretExpiresAt = typeof expiry === 'number' && expiry > 0 ? expiry : null;
    const client = { id, issuer, redirectUri, clientId: textOf(answer, 'client_id')!, authMethod, secretExpiresAt };
    const [, , [row]] = await this.transactions.batch(accessTo(organizationId), [
      removeUnusable(organizationId, issuer, redirectUri),
      insertClient(organizationId, { ...client, ...sealed }),
      usableClient(organizationId, issuer, redirectUri),
    ]);
    if (!row) throw unavailable();
    return this.opened(organizationId, row);
  }

  /** Counts a start whose browser has not come back yet. */
  async sent(organizationId: string, { registrationId }: AuthorizationClient): Promise<void> {
    if (registrationId === null) return;
    await this.transactions.batch(accessTo(organizationId), [countUnanswered(organizationId, registrationId)]);
  }

  async cameBack(organizationId: string, { registrationId }: AuthorizationClient): Promise<void> {
    if (registrationId === null) return;
    await this.transactions.batch(accessTo(organizationId), [resetUnanswered(organizationId, registrationId)]);
  }

  /** The next start registers another one. */
  async rejected(organizationId: string, { registrationId }: AuthorizationClient): Promise<void> {
    if (registrationId === null) return;
    await this.transactions.batch(accessTo(organizationId), [rejectClient(organizationId, registrationId)]);
  }

  private opened(organizationId: string, { id, clientId, authMethod, ...sealed }: ClientRow): RegisteredClient {
    const { clientSecret } = this.secrets.open<ClientSecret>(sealed, contextOf(organizationId, id));
    return { client: { source: 'registered', clientId, authMethod, registrationId: id }, clientSecret };
  }
}

function contextOf(organizationId: string, id: string): readonly string[] {
  return ['oauth_client', organizationId, id];
}

function accessTo(organizationId: string) {
  return standingAccess(organizationId, NOT_FOUND);
}
