import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { FailedAttempts, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import type { Page } from '../../../kernel/http/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { type ConnectorRow, connectors, ConnectionService, NOT_FOUND } from '../../integrations/index.ts';
import { organizationById } from '../../organizations/index.ts';
import { addressWith, type OAuth1Secret, type OAuth2Secret } from '../authorization-server.ts';
import { cookieIn, cookieName } from '../browser-cookie.ts';
import type { BrowserRequest } from '../browser-request.ts';
import { RegistrationsService } from '../mcp/registrations.service.ts';
import type { Callback, Outcome } from '../oauth.state.ts';
import { Oauth1ProviderService } from '../oauth1/oauth1-provider.service.ts';
import { confirmationPage, outcomePage } from '../pages/oauth-page.ts';
import { bearerSecret, signedSecret } from '../provider-secrets.ts';
import { RedirectsService } from '../redirects.service.ts';
import { oauth1Hash } from '../starts/oauth-starts.service.ts';
import type { StateRow } from '../states/oauth-states.queries.ts';
import { hashOf, OauthStatesService } from '../states/oauth-states.service.ts';
import { type CallbackQuery, callbackQuery } from './callback-query.ts';
import { type AuthorizedResult, OauthExchangeService } from './oauth-exchange.service.ts';

/** Ends authorizations: what browsers bring back is exchanged, confirmed where no browser is bound, and stored. */
@Injectable()
export class OauthCallbacksService {
  private readonly logger = new Logger('OAuth');

  constructor(
    private readonly config: Config,
    private readonly reads: Reads,
    private readonly redirects: RedirectsService,
    private readonly states: OauthStatesService,
    private readonly exchanges: OauthExchangeService,
    private readonly registrations: RegistrationsService,
    private readonly oauth1: Oauth1ProviderService,
    private readonly connections: ConnectionService,
    private readonly failedAttempts: FailedAttempts,
  ) {}

  /** What a browser brings back from where its person authorized. */
  async arrive(callback: Callback, browser: BrowserRequest): Promise<Page> {
    const query = callbackQuery(browser.search);
    const redirectUri = this.redirects.ofCallback(callback);
    if (!query || redirectUri === undefined) return this.unknown(browser);
    const place = { path: this.redirects.cookiePath, isSecure: this.redirects.isSecure };
    const cookie = cookieIn(browser.cookies, cookieName(hashOf(query.state), place));
    const state = await this.states.take({
      hashes: this.hashesOf(query),
      callback,
      redirectUri,
      ownHash: query.protocol === 'oauth1' ? hashOf(query.state) : '',
      cookieHash: cookie === undefined ? '' : hashOf(cookie),
    });
    if (!state) return this.unknown(browser);
    return this.answering(state, browser, 302, async () => {
      await this.registrations.cameBack(state.organizationId, state.server.client);
      const row = await this.connectorOf(state);
      const result = await this.exchanges.exchange(state, row, query);
      if (result === 'declined') return result;
      if (state.cookieHash !== null) return this.store(state, row, result);
      return this.asking(state, row, result, browser);
    });
  }

  /** What the button of the page brings. */
  async confirm(callback: Callback, token: string, browser: BrowserRequest): Promise<Page> {
    const redirectUri = this.redirects.ofCallback(callback);
    if (redirectUri === undefined || !this.isOwnPage(browser)) return this.unknown(browser);
    const state = await this.states.confirm<AuthorizedResult>(token, callback, redirectUri);
    if (!state) return this.unknown(browser);
    return this.answering(state, browser, 303, async () =>
      this.store(state, await this.connectorOf(state), state.kept),
    );
  }

  /** The answer that the work comes to; whatever fails ends the authorization, and nothing of it is kept. */
  private async answering(
    state: StateRow,
    browser: BrowserRequest,
    leaving: 302 | 303,
    work: () => Promise<Page | 'connected' | 'declined'>,
  ): Promise<Page> {
    let outcome: Outcome;
    try {
      const done = await work();
      if (typeof done === 'object') return done;
      outcome = done;
    } catch (error) {
      this.logger.warn(`${state.integrationId} was not connected: ${wordOf(error)}`);
      outcome = 'failed';
    }
    await this.states.end(state, outcome === 'connected' ? 'completed' : 'failed');
    return this.pageOf(state, outcome, browser, leaving);
  }

  private async asking(
    state: StateRow,
    row: ConnectorRow,
    result: AuthorizedResult,
    browser: BrowserRequest,
  ): Promise<Page> {
    const [organization] = await this.reads.through(accessTo(state), organizationById(state.organizationId));
    const token = await this.states.awaitConfirmation(state, result);
    const html = confirmationPage(
      {
        organization: organization?.name ?? '',
        connector: row.name,
        account: result.account?.label ?? result.account?.subject ?? null,
        scopes: result.scopes,
        action: new URL(state.redirectUri).pathname,
        token,
      },
      browser.requestId,
    );
    const { returnUrl } = this.config.integrations;
    return { status: 200, html, ...(returnUrl === undefined ? {} : { leadsTo: new URL(returnUrl).origin }) };
  }

  private async store(state: StateRow, row: ConnectorRow, result: AuthorizedResult): Promise<'connected'> {
    const { accessMode, enabledTools, organizationId, integrationId } = state;
    const { kind, secret, account, scopes, services, expiresAtMs } = result;
    await this.connections.connect(personOf(state), organizationId, integrationId, {
      credentialGeneration: state.credentialGeneration,
      kind,
      secret,
      provider: this.providerSecret(result),
      ...(account ? { account } : {}),
      scopes,
      issuer: state.issuer,
      resource: state.resource,
      expiresInSeconds: expiresAtMs === null ? null : Math.max(0, (expiresAtMs - Date.now()) / 1_000),
      ...(accessMode === null ? {} : { accessMode }),
      ...(enabledTools === null ? {} : { tools: enabledTools }),
      ...(services === null ? {} : { settings: { ...row.settings, kind: row.kind, services } }),
    });
    return 'connected';
  }

  private providerSecret({ kind, secret }: AuthorizedResult) {
    if (kind === 'oauth2') return bearerSecret((secret as OAuth2Secret).accessToken);
    const { token: key, tokenSecret, origin } = secret as OAuth1Secret;
    return signedSecret({ ...this.oauth1.for(origin)!, token: { key, secret: tokenSecret } });
  }

  private async connectorOf(state: StateRow): Promise<ConnectorRow> {
    const { organizationId, integrationId } = state;
    const [row] = await this.reads.through(accessTo(state), connectors(organizationId, { id: integrationId }));
    if (!row) throw new ApiError(NOT_FOUND);
    return row;
  }

  private hashesOf(query: CallbackQuery): readonly string[] {
    if (query.protocol === 'oauth2') return [hashOf(query.state)];
    return this.oauth1.origins.map((origin) => oauth1Hash(origin, query.token));
  }

  /** Whether the form was sent by a page of this service. Browsers hide the origin of pages without a referrer. */
  private isOwnPage({ origin, site }: BrowserRequest): boolean {
    if (origin === undefined || origin === 'null') return site === 'same-origin';
    return origin === this.redirects.origin;
  }

  /** Never redirects, since nothing says whose browser it is. */
  private unknown({ address, requestId }: BrowserRequest): Page {
    this.failedAttempts.count(address);
    return { status: 400, html: outcomePage('expired', requestId) };
  }

  private pageOf(state: StateRow, outcome: Outcome, { requestId }: BrowserRequest, leaving: 302 | 303): Page {
    const { returnUrl } = this.config.integrations;
    const { organizationId: organization, integrationId: integration } = state;
    if (returnUrl !== undefined)
      return { status: leaving, location: addressWith(returnUrl, { organization, integration, outcome }) };
    return { status: outcome === 'failed' ? 400 : 200, html: outcomePage(outcome, requestId) };
  }
}

/** The person who started it, whose membership is read anew. */
function personOf({ subject, subjectName: name }: StateRow): OwnerPrincipal {
  const rights = { scopes: ['settings'], scope: 'settings', organizationIds: null } as const;
  return { kind: 'owner', subject, name, tokenId: null, expiresAt: null, ...rights };
}

function accessTo({ organizationId }: StateRow) {
  return standingAccess(organizationId, EdgeErrors.organizationNotFound);
}

/** Why it failed, in words of ours. */
function wordOf(error: unknown): string {
  if (error instanceof ApiError) return error.issues?.[0]?.code ?? error.row.code;
  return error instanceof Error ? error.message : 'unknown';
}
