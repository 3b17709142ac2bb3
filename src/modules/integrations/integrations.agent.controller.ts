import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, EdgeIssues, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { ContextService } from './context/context.service.ts';
import { toConnector } from './integration-projection.ts';
import { ConnectorDto } from './integration.dto.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from './integration.errors.ts';
import { ResolveService } from './runtime/resolve.service.ts';
import { RuntimeReadingService } from './runtime/runtime-reading.service.ts';
import {
  AgentContextDto,
  ConnectorKeyParams,
  EpochQuery,
  ResolvedDto,
  ResolveDto,
  RuntimeConnectorDto,
} from './runtime/runtime.dto.ts';

const STALE_EPOCH = withIssues(IntegrationErrors.conflict, IntegrationIssues.staleEpoch);

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/integrations')
export class IntegrationsAgentController {
  constructor(
    private readonly reading: RuntimeReadingService,
    private readonly resolving: ResolveService,
    private readonly contexts: ContextService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the connectors, for a runtime',
    description: 'How each stands, for whom, and with which tools. No provider is asked.',
    auth: 'service',
    returns: RuntimeConnectorDto,
    array: true,
    errors: [NOT_FOUND, STALE_EPOCH],
  })
  list(
    @Param() { organizationId }: OrganizationParams,
    @Query() { authorizationEpoch }: EpochQuery,
  ): Promise<RuntimeConnectorDto[]> {
    return this.reading.list(organizationId, authorizationEpoch);
  }

  @Post('resolve')
  @Endpoint({
    summary: 'Find the connectors for an operation',
    description: 'Those of a purpose, or one by its key, as they stand to a profile in a run that executes.',
    auth: 'service',
    returns: ResolvedDto,
    errors: [NOT_FOUND, STALE_EPOCH],
  })
  resolve(@Param() { organizationId }: OrganizationParams, @Body() body: ResolveDto): Promise<ResolvedDto> {
    return this.resolving.resolve(organizationId, body);
  }

  @Get(':integrationKey')
  @Endpoint({
    summary: 'Read a connector, for a runtime',
    description: 'No provider is asked.',
    auth: 'service',
    returns: RuntimeConnectorDto,
    errors: [NOT_FOUND, STALE_EPOCH],
  })
  read(
    @Param() { organizationId, integrationKey }: ConnectorKeyParams,
    @Query() { authorizationEpoch }: EpochQuery,
  ): Promise<RuntimeConnectorDto> {
    return this.reading.one(organizationId, integrationKey, authorizationEpoch);
  }

  @Patch(':integrationKey/context')
  @Endpoint({
    summary: 'Change what a connector is used for',
    description:
      'For chat turns, and for runs of the operator that plan or execute. Replaces the fields that are given; departments are for owners to say.',
    auth: 'execution',
    scope: 'work',
    execution: { profileKinds: ['operator', 'chat'], modes: ['plan', 'execute'] },
    returns: ConnectorDto,
    message: 'Context updated',
    errors: [
      withIssues(
        EdgeErrors.validationFailed,
        EdgeIssues.notPermitted,
        IntegrationIssues.noResources,
        IntegrationIssues.foreignResource,
      ),
      NOT_FOUND,
      withIssues(IntegrationErrors.conflict, IntegrationIssues.staleEpoch, IntegrationIssues.staleRevision),
    ],
  })
  async updateContext(
    @Execution() execution: ExecutionPrincipal,
    @Param() { integrationKey }: ConnectorKeyParams,
    @Body() body: AgentContextDto,
  ): Promise<ConnectorDto> {
    return toConnector(await this.contexts.update(execution, integrationKey, body));
  }
}
