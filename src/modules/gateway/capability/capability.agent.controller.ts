import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { GatewayErrors } from '../gateway.errors.ts';
import { REFUSALS } from '../use-refusals.ts';
import { CapabilityDto, CapabilityParams, RequestCapabilityDto } from './capability.dto.ts';
import { CapabilitiesService } from './capabilities.service.ts';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/integrations')
export class CapabilityAgentController {
  constructor(private readonly capabilities: CapabilitiesService) {}

  @Post(':integrationKey/capability')
  @Endpoint({
    summary: 'Get a token for a connector',
    description:
      'For a connector that is usable and granted to the execution’s enabled profile, with a tool that it may call. The token is good for 15 minutes at this one connector, while the execution is alive and the organization’s `authorizationEpoch` stands.',
    auth: 'execution',
    scope: 'work',
    operationId: 'agent.integrations.capability',
    returns: CapabilityDto,
    status: 201,
    message: 'Capability issued',
    errors: [GatewayErrors.connectorNotFound, REFUSALS],
  })
  issue(
    @Execution() execution: ExecutionPrincipal,
    @Param() { integrationKey }: CapabilityParams,
    @Body() { authorizationEpoch }: RequestCapabilityDto,
  ): Promise<CapabilityDto> {
    return this.capabilities.issue(execution, integrationKey, authorizationEpoch);
  }
}
