import { Body, Controller, Delete, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { IntegrationErrors, IntegrationIssues, IntegrationParams, NOT_FOUND } from '../integrations/index.ts';
import { Browser, type BrowserRequest } from './browser-request.ts';
import { RevokedGrantDto, StartedAuthorizationDto, StartMcpDto, StartWorkspaceDto } from './oauth.dto.ts';
import { OauthErrors, OauthIssues } from './oauth.errors.ts';
import { OauthStartsService } from './starts/oauth-starts.service.ts';
import { WorkspaceGrantsService } from './workspace/workspace-grants.service.ts';

const STANDS_AGAINST = [
  IntegrationIssues.retired,
  IntegrationIssues.blocked,
  IntegrationIssues.notSupported,
  IntegrationIssues.notConfigured,
];
const STARTED = {
  auth: 'owner',
  scope: 'settings',
  returns: StartedAuthorizationDto,
  message: 'Authorization started',
} as const;

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/oauth')
export class AuthorizationsController {
  constructor(
    private readonly starts: OauthStartsService,
    private readonly grants: WorkspaceGrantsService,
  ) {}

  @Post('workspace/start')
  @Endpoint({
    ...STARTED,
    summary: 'Start authorizing the workspace',
    description:
      'Send the person’s browser to `authorizationUrl`. Started by a page of this very origin, the browser that comes back proves itself by a cookie; otherwise the person confirms what is to be connected. A newer start of the same person takes the place of the one before.',
    errors: [
      NOT_FOUND,
      withIssues(IntegrationErrors.conflict, ...STANDS_AGAINST),
      OauthErrors.tooManyStarts,
      IntegrationErrors.providerUnavailable,
    ],
  })
  startWorkspace(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: StartWorkspaceDto,
    @Browser() browser: BrowserRequest,
  ): Promise<StartedAuthorizationDto> {
    return this.starts.startWorkspace(owner, organizationId, integrationRef, body, browser);
  }

  @Post('mcp/start')
  @Endpoint({
    ...STARTED,
    summary: 'Start authorizing an MCP server',
    description:
      'Asks the server, without a token, where it is authorized, and its authorization server for its metadata; registers the service there where it has no client. Then as for the workspace.',
    errors: [
      NOT_FOUND,
      withIssues(
        IntegrationErrors.conflict,
        ...STANDS_AGAINST,
        IntegrationIssues.originNotApproved,
        ...Object.values(OauthIssues),
      ),
      OauthErrors.tooManyStarts,
      IntegrationErrors.providerUnavailable,
    ],
  })
  startMcp(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: StartMcpDto,
    @Browser() browser: BrowserRequest,
  ): Promise<StartedAuthorizationDto> {
    return this.starts.startMcp(owner, organizationId, integrationRef, body, browser);
  }

  @Delete('workspace/grant')
  @Endpoint({
    summary: 'Revoke what an account has granted',
    description:
      'Revokes the whole grant of the account at the provider, once, and disconnects the connectors of the organization that have it; those that were connected anew meanwhile stay. Other connections with this grant, of other organizations too, have to be authorized anew. Removing a credential never revokes.',
    auth: 'owner',
    scope: 'settings',
    returns: RevokedGrantDto,
    message: 'Grant revoked',
    errors: [
      NOT_FOUND,
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.needsCredentials,
        IntegrationIssues.notSupported,
        IntegrationIssues.notConfigured,
      ),
      IntegrationErrors.providerUnavailable,
    ],
  })
  revokeGrant(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<RevokedGrantDto> {
    return this.grants.revoke(owner, organizationId, integrationRef);
  }
}
