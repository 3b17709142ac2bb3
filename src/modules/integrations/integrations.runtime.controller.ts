import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from './integration.errors.ts';
import { ResolveService } from './runtime/resolve.service.ts';
import { RuntimeReadingService } from './runtime/runtime-reading.service.ts';
import { ConnectorKeyParams, EpochQuery, ResolvedDto, ResolveDto, RuntimeConnectorDto } from './runtime/runtime.dto.ts';

const STALE_EPOCH = withIssues(IntegrationErrors.conflict, IntegrationIssues.staleEpoch);

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/integrations')
export class IntegrationsRuntimeController {
  constructor(
    private readonly reading: RuntimeReadingService,
    private readonly resolving: ResolveService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the connectors, for a runtime',
    operationId: 'registry.list',
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
    operationId: 'registry.resolve',
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
    operationId: 'registry.read',
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
}
