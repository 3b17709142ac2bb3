import { Injectable } from '@nestjs/common';
import { Config, type McpOAuth1Client } from '../../../config/index.ts';
import { randomToken } from '../../../kernel/crypto/index.ts';
import { addressWith, type AuthorizationServer } from '../authorization-server.ts';
import { answerOf } from '../documents.ts';
import { type OauthAsker, OauthNetsService } from '../oauth-nets.service.ts';
import { unavailable } from '../unavailable.ts';
import type { PlannedOAuth1 } from '../planned-authorization.ts';
import { RedirectsService } from '../redirects.service.ts';
import { signedHeader } from './request-signature.ts';

const MOST_TEXT = 4_096;

interface TokenPair {
  readonly key: string;
  readonly secret: string;
}

/** Providers that speak OAuth 1.0a, which say nothing of themselves: the configuration knows their addresses. */
@Injectable()
export class Oauth1ProviderService {
  constructor(
    private readonly config: Config,
    private readonly nets: OauthNetsService,
    private readonly redirects: RedirectsService,
  ) {}

  /** The provider that authorizes an endpoint; undefined where that is for the endpoint itself to say. */
  for(endpoint: string): McpOAuth1Client | undefined {
    const { origin } = new URL(endpoint);
    return this.config.integrations.oauth1Clients.find((client) => client.origin === origin);
  }

  get origins(): readonly string[] {
    return this.config.integrations.oauth1Clients.map(({ origin }) => origin);
  }

  async plan(client: McpOAuth1Client, asker: OauthAsker): Promise<PlannedOAuth1> {
    const ownState = randomToken();
    const callback = addressWith(this.redirects.to('mcp'), { state: ownState });
    const answer = await this.ask(client, asker, client.requestTokenUrl, undefined, { oauth_callback: callback });
    const requestToken = answer && pairIn(answer);
    // Without this word the provider may send the verifier elsewhere.
    if (!requestToken || answer.get('oauth_callback_confirmed') !== 'true') throw unavailable();
    return { protocol: 'oauth1', server: serverOf(client), requestToken, ownState };
  }

  /** The lasting token for what a person approved; undefined where the provider gives none. */
  async exchange(
    client: McpOAuth1Client,
    asker: OauthAsker,
    requestToken: TokenPair,
    verifier: string,
  ): Promise<TokenPair | undefined> {
    const own = { oauth_verifier: verifier };
    const answer = await this.ask(client, asker, client.accessTokenUrl, requestToken, own);
    return answer && pairIn(answer);
  }

  private async ask(
    client: McpOAuth1Client,
    asker: OauthAsker,
    address: string,
    token: TokenPair | undefined,
    own: Readonly<Record<string, string>>,
  ): Promise<URLSearchParams | undefined> {
    const get = this.nets.to(asker, (asked) => asked === address);
    const authorization = signedHeader({ ...client, ...(token ? { token } : {}) }, 'POST', address, own);
    const response = await answerOf(get, address, { method: 'POST', headers: { authorization } });
    if (response.status !== 200) {
      await response.body?.cancel();
      return undefined;
    }
    return new URLSearchParams(await response.text().catch(() => ''));
  }
}

function serverOf(client: McpOAuth1Client): AuthorizationServer {
  return {
    issuer: client.origin,
    authorizationEndpoint: client.authorizationUrl,
    tokenEndpoint: client.accessTokenUrl,
    revocationEndpoint: null,
    namesItself: false,
    client: { source: 'deployment', clientId: client.consumerKey, authMethod: 'none', registrationId: null },
    signatureMethod: client.signatureMethod,
  };
}

function pairIn(answer: URLSearchParams): TokenPair | undefined {
  const [keys, secrets] = [answer.getAll('oauth_token'), answer.getAll('oauth_token_secret')];
  const [key = '', secret = ''] = [keys[0], secrets[0]];
  const isPair = keys.length === 1 && secrets.length === 1 && key !== '';
  return isPair && key.length <= MOST_TEXT && secret.length <= MOST_TEXT ? { key, secret } : undefined;
}
