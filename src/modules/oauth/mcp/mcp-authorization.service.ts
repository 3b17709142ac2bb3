import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { conflict } from '../../integrations/index.ts';
import { OauthIssues } from '../oauth.errors.ts';
import { OauthNetsService } from '../oauth-nets.service.ts';
import type { AskingConnector, PlannedOAuth2 } from '../planned-authorization.ts';
import { RedirectsService } from '../redirects.service.ts';
import { askedScopes, OFFLINE } from '../scopes.ts';
import { clientChoice, issuerChoice } from './client-choice.ts';
import { issuerMetadata, type IssuerMetadata } from './issuer-metadata.ts';
import { protectedResource } from './protected-resource.ts';
import { type RegisteredClient, RegistrationsService } from './registrations.service.ts';

/** Finds out how an MCP server is authorized, by what it and its authorization server say of themselves. */
@Injectable()
export class McpAuthorizationService {
  constructor(
    private readonly config: Config,
    private readonly nets: OauthNetsService,
    private readonly redirects: RedirectsService,
    private readonly registrations: RegistrationsService,
  ) {}

  async plan({ row, issuer: used, grantedScopes }: AskingConnector): Promise<PlannedOAuth2> {
    const { approvedOrigins, oauth2Clients } = this.config.integrations;
    const approves = (address: string) => approvedOrigins.has(address);
    const { organizationId, id: integrationId, organization, requiredScopes } = row;
    const { blockedDomains } = organization;
    const get = this.nets.to({ organizationId, integrationId, blockedDomains }, approves);
    const told = await protectedResource(new URL(row.endpoint!), get);
    const metadata = await issuerMetadata(issuerChoice(told.issuers, used, oauth2Clients), get, approves);
    const scopes = askedScopes({
      challenged: told.challengedScope,
      ofResource: told.scopes,
      ofIssuer: metadata.scopes,
      // What another issuer granted says nothing at this one.
      needed: [...requiredScopes, ...(used === metadata.issuer ? grantedScopes : [])],
    });
    const { client, clientSecret } = await this.clientAt(organizationId, metadata, get);
    return {
      protocol: 'oauth2',
      server: {
        issuer: metadata.issuer,
        authorizationEndpoint: metadata.authorizationEndpoint,
        tokenEndpoint: metadata.tokenEndpoint,
        revocationEndpoint: metadata.revocationEndpoint ?? null,
        namesItself: metadata.namesItself,
        client,
      },
      scopes,
      resource: told.resource,
      clientSecret,
      asksIdentity: false,
      // OpenID providers give offline access only with consent.
      more: scopes.includes(OFFLINE) ? { prompt: 'consent' } : {},
    };
  }

  private clientAt(organizationId: string, metadata: IssuerMetadata, get: typeof fetch): Promise<RegisteredClient> {
    const { oauth2Clients: deployment, registers } = this.config.integrations;
    const choice = clientChoice(metadata, { deployment, documentAddress: this.redirects.clientDocument, registers });
    if (!choice) throw conflict(OauthIssues.noClient);
    if (choice.kind === 'known') return Promise.resolve({ client: choice.client, clientSecret: null });
    return this.registrations.clientAt(organizationId, choice.address, metadata, this.redirects.to('mcp'), get);
  }
}
