import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { type ConnectorRow, ProviderAdapters } from '../../integrations/index.ts';
import type { OAuth1Secret, OAuth2Secret } from '../authorization-server.ts';
import { ClientSecretsService } from '../client-secrets.service.ts';
import { RegistrationsService } from '../mcp/registrations.service.ts';
import { type OauthAsker, OauthNetsService } from '../oauth-nets.service.ts';
import { Oauth1ProviderService } from '../oauth1/oauth1-provider.service.ts';
import { exchangeCode, isApproval, type Tokens } from '../oauth2/token-endpoint.ts';
import type { StateSecret, TakenState } from '../states/oauth-states.service.ts';
import { grantedServices } from '../workspace/workspace-scopes.ts';
import { WorkspaceServerService } from '../workspace/workspace-server.service.ts';
import type { CallbackQuery } from './callback-query.ts';

/** What an authorization brought, until it is stored. Holds secrets. */
export interface AuthorizedResult {
  readonly kind: 'oauth2' | 'oauth1';
  readonly secret: OAuth2Secret | OAuth1Secret;
  readonly scopes: readonly string[];
  /** Who authorized; null where nobody says it. */
  readonly account: { readonly subject: string; readonly label: string | null } | null;
  /** Those whose scopes came back; null where there are none to choose. */
  readonly services: readonly string[] | null;
  /** Milliseconds since 1970; null where it does not expire. */
  readonly expiresAtMs: number | null;
}

/** Why an authorization brought nothing. */
export class ExchangeFailed extends Error {}

/** Turns what a browser brings to a callback into tokens. */
@Injectable()
export class OauthExchangeService {
  constructor(
    private readonly config: Config,
    private readonly adapters: ProviderAdapters,
    private readonly nets: OauthNetsService,
    private readonly secrets: ClientSecretsService,
    private readonly registrations: RegistrationsService,
    private readonly oauth1: Oauth1ProviderService,
    private readonly workspace: WorkspaceServerService,
  ) {}

  /** Throws `ExchangeFailed` where nothing good came, and answers `declined` where the person, or the provider, said no. */
  async exchange(
    state: TakenState<StateSecret>,
    row: ConnectorRow,
    query: CallbackQuery,
  ): Promise<AuthorizedResult | 'declined'> {
    const { organizationId, organization } = row;
    const { blockedDomains } = organization;
    const asker = { organizationId, integrationId: row.id, blockedDomains };
    if (query.protocol !== state.protocol) throw new ExchangeFailed('the answer is of another protocol');
    return query.protocol === 'oauth1'
      ? this.signedToken(state, asker, query.verifier)
      : this.tokens(state, asker, row, query.parameters, query.state);
  }

  private async tokens(
    taken: TakenState<StateSecret>,
    asker: OauthAsker,
    row: ConnectorRow,
    parameters: URLSearchParams,
    state: string,
  ): Promise<AuthorizedResult | 'declined'> {
    const { server, kept, resource, redirectUri } = taken;
    if (!approval(taken, parameters, state)) return 'declined';
    if (!parameters.get('code')) throw new ExchangeFailed('the answer has no code');
    const clientSecret = this.secrets.of(server, kept.clientSecret);
    if (clientSecret === undefined) throw new ExchangeFailed('the configuration has the client no more');
    const { approvedOrigins } = this.config.integrations;
    const get = this.nets.to(asker, (address) =>
      taken.callback === 'workspace' ? this.workspace.has(address) : approvedOrigins.has(address),
    );
    const { verifier, nonce } = kept;
    const answer = await exchangeCode(
      { server, clientSecret, resource, get },
      { parameters, state, redirectUri, verifier, nonce },
    );
    if (answer.kind === 'client_refused') await this.registrations.rejected(asker.organizationId, server.client);
    if (answer.kind === 'later') throw new ExchangeFailed(`the token endpoint gives ${answer.reason}`);
    if (answer.kind !== 'tokens') throw new ExchangeFailed(`the token endpoint says ${answer.kind}`);
    return this.resultOf(taken, row, answer.tokens);
  }

  private resultOf(taken: TakenState<StateSecret>, row: ConnectorRow, tokens: Tokens): AuthorizedResult | 'declined' {
    const { server, kept } = taken;
    const { accessToken, refreshToken, expiresInSeconds, idToken } = tokens;
    if (kept.nonce !== null && !idToken) throw new ExchangeFailed('no ID token came');
    const scopes = tokens.scopes ?? taken.scopes;
    const asked = taken.services ?? [];
    const known = this.adapters.of(row.kind)?.entry.authorizedScopes;
    const services = known && grantedServices(known, asked, taken.accessMode ?? 'read_only', scopes);
    if (known && !services) return 'declined';
    return {
      kind: 'oauth2',
      secret: { accessToken, refreshToken, server, clientSecret: kept.clientSecret },
      scopes,
      account: idToken && { subject: idToken.subject, label: idToken.email },
      services: taken.services === null ? null : (services ?? null),
      expiresAtMs: expiresInSeconds === null ? null : Date.now() + expiresInSeconds * 1_000,
    };
  }

  private async signedToken(
    { issuer, kept, server }: TakenState<StateSecret>,
    asker: OauthAsker,
    verifier: string | null,
  ): Promise<AuthorizedResult | 'declined'> {
    if (verifier === null) return 'declined';
    const client = this.oauth1.for(issuer);
    if (client?.consumerKey !== server.client.clientId || !kept.requestToken)
      throw new ExchangeFailed('the configuration has the client no more');
    const token = await this.oauth1.exchange(client, asker, kept.requestToken, verifier);
    if (!token) throw new ExchangeFailed('the provider gives no token');
    const secret = { token: token.key, tokenSecret: token.secret, origin: issuer, consumerKey: client.consumerKey };
    return { kind: 'oauth1', secret, scopes: [], account: null, services: null, expiresAtMs: null };
  }
}

/** Whether the answer is one of the server that was asked, and an approval. */
function approval({ server }: TakenState<StateSecret>, parameters: URLSearchParams, state: string): boolean {
  try {
    return isApproval(server, parameters, state);
  } catch {
    throw new ExchangeFailed('the answer is not of the server that was asked');
  }
}
