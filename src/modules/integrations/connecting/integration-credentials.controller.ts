import { Body, Controller, Delete, Param, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { IntegrationDto, IntegrationParams } from '../integration.dto.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { toIntegration } from '../integration-projection.ts';
import { PutCredentialDto } from './credential.dto.ts';
import { CredentialsService } from './credentials.service.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/credential')
export class IntegrationCredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

  @Put()
  @Endpoint({
    summary: 'Connect a connector with a credential',
    description:
      'Asks the provider whether the credential is good, then stores it encrypted and enables the connector. The first connection selects every tool that the access mode permits; a later one keeps the selection. It takes up to 25 seconds; what the provider refuses is stored nowhere.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Connector connected',
    errors: [
      NOT_FOUND,
      withIssues(
        EdgeErrors.validationFailed,
        EdgeIssues.notOfKind,
        IntegrationIssues.providerRejected,
        IntegrationIssues.forbiddenHeader,
      ),
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.retired,
        IntegrationIssues.blocked,
        IntegrationIssues.notConfigured,
        IntegrationIssues.changedMeanwhile,
      ),
      IntegrationErrors.providerUnavailable,
    ],
  })
  async put(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: PutCredentialDto,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.credentials.put(owner, organizationId, integrationRef, body));
  }

  @Delete()
  @Endpoint({
    summary: 'Disconnect a connector',
    description:
      'Forgets its credential, without asking or telling the provider; access mode, tools and grants stay. 200 also where there is none.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Connector disconnected',
    errors: [NOT_FOUND],
  })
  async delete(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.credentials.remove(owner, organizationId, integrationRef));
  }
}
