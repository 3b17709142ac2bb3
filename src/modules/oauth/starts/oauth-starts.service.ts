import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { randomToken } from '../../../kernel/crypto/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  type AccessMode,
  byRef,
  type CatalogEntry,
  conflict,
  connectors,
  credentialOf,
  IntegrationIssues,
  NOT_FOUND,
  ReadinessService,
  requireAskable,
} from '../../integrations/index.ts';
import { addressWith, authorizationAddress } from '../authorization-server.ts';
import { bindingCookie } from '../browser-cookie.ts';
import type { BrowserRequest } from '../browser-request.ts';
import { McpAuthorizationService } from '../mcp/mcp-authorization.service.ts';
import { RegistrationsService } from '../mcp/registrations.service.ts';
import type { StartedAuthorizationDto, StartMcpDto, StartWorkspaceDto } from '../oauth.dto.ts';
import type { Callback } from '../oauth.state.ts';
import { Oauth1ProviderService } from '../oauth1/oauth1-provider.service.ts';
import type { AskingConnector, PlannedAuthorization } from '../planned-authorization.ts';
import { RedirectsService } from '../redirects.service.ts';
import { hashOf, OauthStatesService } from '../states/oauth-states.service.ts';
import { WorkspaceAuthorizationService } from '../workspace/workspace-authorization.service.ts';

/** What a person asked for besides. */
interface Wish {
  readonly callback: Callback;
  readonly accessMode: AccessMode | null;
  readonly enabledTools: readonly string[] | null;
  readonly services: readonly string[] | null;
}

/** Sends people to where they authorize a connector. */
@Injectable()
export class OauthStartsService {
  constructor(
    private readonly reads: Reads,
    private readonly readiness: ReadinessService,
    private readonly redirects: RedirectsService,
    private readonly states: OauthStatesService,
    private readonly mcp: McpAuthorizationService,
    private readonly oauth1: Oauth1ProviderService,
    private readonly workspace: WorkspaceAuthorizationService,
    private readonly registrations: RegistrationsService,
  ) {}

  async startMcp(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    body: StartMcpDto,
    browser: BrowserRequest,
  ): Promise<StartedAuthorizationDto> {
    const { connector } = await this.connectorOf(owner, organizationId, ref, 'mcp');
    this.redirects.to('mcp');
    const { id: integrationId, endpoint, organization } = connector.row;
    const provider = this.oauth1.for(endpoint!);
    const { blockedDomains } = organization;
    const planned = provider
      ? await this.oauth1.plan(provider, { organizationId, integrationId, blockedDomains })
      : await this.mcp.plan(connector);
    const { accessMode = null, enabledTools = null } = body;
    return this.begin(
      owner,
      connector,
      planned,
      { callback: 'mcp', accessMode, enabledTools, services: null },
      browser,
    );
  }

  async startWorkspace(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    body: StartWorkspaceDto,
    browser: BrowserRequest,
  ): Promise<StartedAuthorizationDto> {
    const { connector, entry } = await this.connectorOf(owner, organizationId, ref, 'workspace');
    this.redirects.to('workspace');
    const scopes = entry.authorizedScopes ?? { required: [], services: {} };
    const wish = wishOf(connector, entry, body);
    const planned = this.workspace.plan(connector, scopes, wish.services ?? [], wish.accessMode ?? 'read_only');
    return this.begin(owner, connector, planned, wish, browser);
  }

  private async connectorOf(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    authorization: CatalogEntry['authorization'],
  ): Promise<{ readonly connector: AskingConnector; readonly entry: CatalogEntry }> {
    const access = ownerWriteAccess(owner, organizationId, {});
    const [row] = await this.reads.through(access, connectors(organizationId, byRef(ref)));
    if (!row) throw new ApiError(NOT_FOUND);
    const standing = this.readiness.of(row);
    requireAskable(standing);
    const { entry } = standing;
    if (entry?.authorization !== authorization) throw conflict(IntegrationIssues.notSupported);
    const [credential] = await this.reads.inOrganization(owner, organizationId, credentialOf(organizationId, row.id));
    const { issuer = null, scopes: grantedScopes = [] } = credential ?? {};
    return { connector: { row, issuer, grantedScopes }, entry };
  }

  private async begin(
    owner: OwnerPrincipal,
    { row }: AskingConnector,
    planned: PlannedAuthorization,
    { callback, ...wish }: Wish,
    browser: BrowserRequest,
  ): Promise<StartedAuthorizationDto> {
    const state = planned.protocol === 'oauth2' ? randomToken() : planned.ownState;
    const verifier = randomToken();
    const nonce = planned.protocol === 'oauth2' && planned.asksIdentity ? randomToken() : null;
    const { server } = planned;
    const isOne = planned.protocol === 'oauth1';
    const stateHash = isOne ? oauth1Hash(server.issuer, planned.requestToken.key) : hashOf(state);
    const redirectUri = this.redirects.to(callback);
    // A browser of this very origin proves itself at the callback; whoever else started shows the result to a person first.
    const binding = browser.site === 'same-origin' ? randomToken() : undefined;
    const { expiresAt } = await this.states.start(
      owner,
      {
        stateHash,
        organizationId: row.organizationId,
        integrationId: row.id,
        subject: owner.subject,
        subjectName: owner.name,
        callback,
        redirectUri,
        protocol: planned.protocol,
        issuer: server.issuer,
        credentialGeneration: row.credentialGeneration,
        scopes: isOne ? [] : planned.scopes,
        resource: isOne ? null : planned.resource,
        ...wish,
        server,
        cookieHash: binding === undefined ? null : hashOf(binding),
        ownHash: isOne ? hashOf(state) : null,
      },
      {
        verifier,
        nonce,
        clientSecret: isOne ? null : planned.clientSecret,
        requestToken: isOne ? planned.requestToken : null,
      },
    );
    await this.registrations.sent(row.organizationId, server.client);
    if (binding !== undefined) {
      const place = { path: this.redirects.cookiePath, isSecure: this.redirects.isSecure };
      browser.setCookie(bindingCookie(hashOf(state), binding, place));
    }
    const authorizationUrl = isOne
      ? addressWith(server.authorizationEndpoint, { oauth_token: planned.requestToken.key })
      : authorizationAddress(server, {
          ...planned,
          state,
          challenge: createHash('sha256').update(verifier).digest('base64url'),
          redirectUri,
          nonce,
        });
    return { authorizationUrl, expiresAt };
  }
}

/** By which an authorization of OAuth 1.0a is found: its callback names no state but the token. */
export function oauth1Hash(issuer: string, requestToken: string): string {
  return hashOf(`${issuer} ${requestToken}`);
}

/** What is asked for now, or else stands; services and mode are needed the first time, and a fixed scope takes neither. */
function wishOf({ row }: AskingConnector, entry: CatalogEntry, body: StartWorkspaceDto): Wish {
  const known = Object.keys(entry.authorizedScopes?.services ?? {});
  if (known.length === 0) {
    for (const name of ['accessMode', 'enabledTools', 'services'] as const)
      if (body[name] !== undefined) throw invalid(name, EdgeIssues.notOfKind);
    return { callback: 'workspace', accessMode: null, enabledTools: null, services: null };
  }
  const services = body.services ?? chosenBefore(row.settings);
  if (services === undefined || services.length === 0) throw invalid('services', EdgeIssues.required);
  const unknown = services.find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalid('services', EdgeIssues.unknownValue, `must be of ${known.join(', ')}`);
  const accessMode = body.accessMode ?? (row.credential || row.selection ? row.accessMode : undefined);
  if (accessMode === undefined) throw invalid('accessMode', EdgeIssues.required);
  return { callback: 'workspace', accessMode, enabledTools: body.enabledTools ?? null, services };
}

function chosenBefore(settings: Readonly<Record<string, unknown>> | null): string[] | undefined {
  const { services } = settings ?? {};
  return Array.isArray(services) ? services.filter((each) => typeof each === 'string') : undefined;
}
