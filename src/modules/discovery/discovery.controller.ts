import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { DiscoveryDto } from './discovery.dto.ts';
import { DiscoveryService } from './discovery.service.ts';

@ApiTags('discovery')
@Controller('organizations/:organizationId')
export class DiscoveryController {
  constructor(private readonly discovery: DiscoveryService) {}

  @Get('discovery')
  @Endpoint({
    summary: 'Read how far the discovery is',
    description:
      'A new organization finds out about itself: the operator researches company, market and customers, then each enabled department looks at its own field. A task counts once knowledge stems from it; else it is done again after 15 minutes and 2 hours.',
    auth: 'owner',
    scope: 'read',
    returns: DiscoveryDto,
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<DiscoveryDto> {
    return this.discovery.read(owner, organizationId);
  }

  @Post('integration-setup/complete')
  @Endpoint({
    operationId: 'discovery.completeIntegrationSetup',
    summary: 'Say that the integrations are set up',
    description:
      'Releases the discovery of the departments once all research has come to an end and some of it left knowledge; their tasks are created soon after. No integration has to be connected. The first call counts, and every other answers the same.',
    auth: 'owner',
    scope: 'settings',
    returns: DiscoveryDto,
    message: 'Integration setup completed',
  })
  completeSetup(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
  ): Promise<DiscoveryDto> {
    return this.discovery.completeSetup(owner, organizationId);
  }
}
