import { Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { IntegrationDto, IntegrationParams } from '../integration.dto.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { toIntegration } from '../integration-projection.ts';
import { CheckService } from './check.service.ts';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations/:integrationRef/check')
export class IntegrationChecksController {
  constructor(private readonly checks: CheckService) {}

  @Post()
  @Endpoint({
    summary: 'Check a connector',
    description:
      'Asks the provider, and answers with the health that it saw; one check at a time, a second one answers at once. It changes neither grants nor tools nor settings.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Connector checked',
    errors: [NOT_FOUND],
  })
  async check(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.checks.check(owner, organizationId, integrationRef));
  }
}
