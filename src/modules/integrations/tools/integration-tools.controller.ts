import { Body, Controller, Param, Post, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../../kernel/errors/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { IntegrationDto, IntegrationParams } from '../integration.dto.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { toIntegration } from '../integration-projection.ts';
import { DiscoveredToolsDto, UpdateToolsDto } from './tool.dto.ts';
import { ToolsService } from './tools.service.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef')
export class IntegrationToolsController {
  constructor(private readonly tools: ToolsService) {}

  @Put('tools')
  @Endpoint({
    summary: 'Choose access mode and tools',
    description:
      'A mode alone selects every tool that it permits; a list is authoritative. What providers add later is never selected by itself.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Tools updated',
    errors: [
      NOT_FOUND,
      withIssues(
        EdgeErrors.validationFailed,
        IntegrationIssues.toolNotListed,
        IntegrationIssues.toolNotEligible,
        IntegrationIssues.fixedReadOnly,
      ),
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.retired,
        IntegrationIssues.noInventory,
        IntegrationIssues.staleRevision,
      ),
    ],
  })
  async update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: UpdateToolsDto,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.tools.choose(owner, organizationId, integrationRef, body));
  }

  @Post('discover')
  @Endpoint({
    summary: 'List the tools live',
    description:
      'Says what is new, changed and missing. A selected tool that is defined otherwise than when it was selected goes into quarantine, until it is named again; nothing gets selected.',
    auth: 'owner',
    scope: 'settings',
    returns: DiscoveredToolsDto,
    message: 'Tools listed',
    errors: [
      NOT_FOUND,
      withIssues(
        IntegrationErrors.conflict,
        IntegrationIssues.retired,
        IntegrationIssues.blocked,
        IntegrationIssues.needsCredentials,
        IntegrationIssues.credentialRefused,
        IntegrationIssues.changedMeanwhile,
      ),
      IntegrationErrors.providerUnavailable,
    ],
  })
  discover(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<DiscoveredToolsDto> {
    return this.tools.discover(owner, organizationId, integrationRef);
  }
}
