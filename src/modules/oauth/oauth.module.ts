import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/index.ts';
import { OrganizationsModule } from '../organizations/index.ts';
import { AuthorizationsController } from './authorizations.controller.ts';
import { ClientSecretsService } from './client-secrets.service.ts';
import { OauthCallbacksService } from './completion/oauth-callbacks.service.ts';
import { OauthExchangeService } from './completion/oauth-exchange.service.ts';
import { McpAuthorizationService } from './mcp/mcp-authorization.service.ts';
import { RegistrationsService } from './mcp/registrations.service.ts';
import { OauthNetsService } from './oauth-nets.service.ts';
import { OauthController } from './oauth.controller.ts';
import { Oauth1ProviderService } from './oauth1/oauth1-provider.service.ts';
import { RedirectsService } from './redirects.service.ts';
import { ConnectorTokens } from './refresh/connector-tokens.adapter.ts';
import { TokenRefreshJobs } from './refresh/token-refresh.jobs.ts';
import { TokenRefreshService } from './refresh/token-refresh.service.ts';
import { OauthStartsService } from './starts/oauth-starts.service.ts';
import { OauthStatesJobs } from './states/oauth-states.jobs.ts';
import { OauthStatesService } from './states/oauth-states.service.ts';
import { WorkspaceAuthorizationService } from './workspace/workspace-authorization.service.ts';
import { WorkspaceGrantsService } from './workspace/workspace-grants.service.ts';
import { WorkspaceServerService } from './workspace/workspace-server.service.ts';

@Module({
  imports: [OrganizationsModule, IntegrationsModule],
  controllers: [OauthController, AuthorizationsController],
  providers: [
    RedirectsService,
    OauthNetsService,
    ClientSecretsService,
    WorkspaceServerService,
    WorkspaceAuthorizationService,
    WorkspaceGrantsService,
    Oauth1ProviderService,
    RegistrationsService,
    McpAuthorizationService,
    OauthStatesService,
    OauthStatesJobs,
    OauthStartsService,
    OauthExchangeService,
    OauthCallbacksService,
    TokenRefreshService,
    TokenRefreshJobs,
    ConnectorTokens,
  ],
})
export class OauthModule {}
