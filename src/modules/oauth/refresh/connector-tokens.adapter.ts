import { Injectable } from '@nestjs/common';
import {
  type Authorized,
  type AuthorizedCredentials,
  conflict,
  ConnectorSecretsService,
  CredentialSource,
  IntegrationIssues,
  type StoredCredential,
} from '../../integrations/index.ts';
import type { OAuth1Secret, OAuth2Secret } from '../authorization-server.ts';
import { Oauth1ProviderService } from '../oauth1/oauth1-provider.service.ts';
import { bearerSecret, signedSecret } from '../provider-secrets.ts';
import { leavesOldToken, TokenRefreshService } from './token-refresh.service.ts';

/** What requests of authorized connectors carry: a token that is fresh enough, or a signature each. */
@Injectable()
export class ConnectorTokens implements AuthorizedCredentials {
  constructor(
    source: CredentialSource,
    private readonly secrets: ConnectorSecretsService,
    private readonly refreshes: TokenRefreshService,
    private readonly oauth1: Oauth1ProviderService,
  ) {
    source.register(this);
  }

  async authorization(credential: StoredCredential, validForSeconds: number, signal: AbortSignal): Promise<Authorized> {
    if (credential.state !== 'connected') throw conflict(IntegrationIssues.needsCredentials);
    if (credential.kind === 'oauth1') return this.signed(credential);
    const left = credential.accessSecondsLeft;
    if (left === null || left >= validForSeconds) return this.bearer(credential);
    try {
      return await this.bearer(await until(signal, this.refreshes.refreshed(credential)));
    } catch (error) {
      // The old one is good for a moment.
      if (left > 0 && leavesOldToken(error)) return this.bearer(credential);
      throw error;
    }
  }

  async renewed(credential: StoredCredential, tokenVersion: number, signal: AbortSignal): Promise<Authorized> {
    if (credential.kind === 'oauth1') throw conflict(IntegrationIssues.credentialRefused);
    return this.bearer(await until(signal, this.refreshes.refreshed({ ...credential, tokenVersion })));
  }

  private async bearer(credential: StoredCredential): Promise<Authorized> {
    const { accessToken } = await this.secrets.open<OAuth2Secret>(credential);
    return { secret: bearerSecret(accessToken), tokenVersion: credential.tokenVersion, secrets: [accessToken] };
  }

  private async signed(credential: StoredCredential): Promise<Authorized> {
    const { token: key, tokenSecret: secret, origin, consumerKey } = await this.secrets.open<OAuth1Secret>(credential);
    const client = this.oauth1.for(origin);
    if (client?.consumerKey !== consumerKey) throw conflict(IntegrationIssues.notConfigured);
    return {
      secret: signedSecret({ ...client, token: { key, secret } }),
      tokenVersion: credential.tokenVersion,
      secrets: [key, secret],
    };
  }
}

/** The work's result, or the reason of a signal that comes before; the work itself goes on for others. */
async function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
