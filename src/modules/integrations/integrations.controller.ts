import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { ContextService } from './context/context.service.ts';
import { GrantsService } from './grants/grants.service.ts';
import {
  ContextMappingDto,
  CreateIntegrationDto,
  IntegrationStatusDto,
  PreferenceParams,
  ProfileGrantsDto,
  SetPreferencesDto,
  UpdateIntegrationDto,
} from './integration-body.dto.ts';
import { toIntegration } from './integration-projection.ts';
import { IntegrationDto, IntegrationListQuery, IntegrationParams } from './integration.dto.ts';
import { IntegrationErrors, IntegrationIssues, NOT_FOUND } from './integration.errors.ts';
import { PreferencesDto } from './preferences/preferences.dto.ts';
import { PreferencesService } from './preferences/preferences.service.ts';
import { ConnectorEditsService } from './registry/connector-edits.service.ts';
import { ConnectorReadingService } from './registry/connector-reading.service.ts';
import { OwnConnectorsService } from './registry/own-connectors.service.ts';

const REFUSED_ENDPOINT = [
  IntegrationIssues.invalidEndpoint,
  IntegrationIssues.originNotApproved,
  IntegrationIssues.blocked,
] as const;

const STALE = withIssues(IntegrationErrors.conflict, IntegrationIssues.staleRevision);

const EPOCH = 'Capabilities that runs hold are refused from the answer on; they ask for new ones.';

@ApiTags('integrations')
@Controller('organizations/:organizationId/integrations')
export class IntegrationsController {
  constructor(
    private readonly reading: ConnectorReadingService,
    private readonly own: OwnConnectorsService,
    private readonly edits: ConnectorEditsService,
    private readonly grants: GrantsService,
    private readonly contexts: ContextService,
    private readonly preferences: PreferencesService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the connectors',
    description:
      'By key: those of the catalog, and the organization’s own MCP servers. Kinds that the service has no more are left out unless they are still connected; read them by id.',
    auth: 'owner',
    scope: 'read',
    returns: IntegrationDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: IntegrationListQuery,
  ): Promise<Page<IntegrationDto>> {
    return this.reading.list(owner, organizationId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a connector of an own MCP server',
    description:
      'Nobody is asked yet, and no run sees it: store a credential to connect it. At most 50 an organization.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    status: 201,
    message: 'Connector created',
    errors: [
      withIssues(EdgeErrors.validationFailed, ...REFUSED_ENDPOINT, IntegrationIssues.notAnOwnKey),
      IntegrationErrors.tooMany,
      IntegrationErrors.keyInUse,
    ],
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CreateIntegrationDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<IntegrationDto> {
    return this.own.create(owner, organizationId, body, request);
  }

  @Get('preferences')
  @Endpoint({
    summary: 'Read which connector comes first',
    auth: 'owner',
    scope: 'read',
    returns: PreferencesDto,
    operationId: 'integrations.preferences',
  })
  readPreferences(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
  ): Promise<PreferencesDto> {
    return this.preferences.read(owner, organizationId);
  }

  @Put('preferences/:purpose')
  @Endpoint({
    summary: 'Say which connector of a purpose comes first',
    description: 'Ranks those that a run may use, from its next look on; it authorizes none.',
    auth: 'owner',
    scope: 'settings',
    returns: PreferencesDto,
    message: 'Preferences updated',
    errors: [withIssues(EdgeErrors.validationFailed, IntegrationIssues.notAPermutation), STALE],
    operationId: 'integrations.setPreferences',
  })
  setPreferences(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, purpose }: PreferenceParams,
    @Body() body: SetPreferencesDto,
  ): Promise<PreferencesDto> {
    return this.preferences.set(owner, organizationId, purpose, body);
  }

  @Get(':integrationRef')
  @Endpoint({
    summary: 'Read a connector',
    auth: 'owner',
    scope: 'read',
    returns: IntegrationDto,
    errors: [NOT_FOUND],
  })
  read(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<IntegrationDto> {
    return this.reading.read(owner, organizationId, integrationRef);
  }

  @Patch(':integrationRef')
  @Endpoint({
    summary: 'Change name, description or address of a connector',
    description: `Another address forgets credential, tools and their selection: a secret goes only where it was given for. ${EPOCH}`,
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Connector updated',
    errors: [
      withIssues(EdgeErrors.validationFailed, ...REFUSED_ENDPOINT, IntegrationIssues.fixedEndpoint),
      NOT_FOUND,
      EdgeErrors.stateConflict,
    ],
  })
  update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: UpdateIntegrationDto,
  ): Promise<IntegrationDto> {
    return this.edits.update(owner, organizationId, integrationRef, body);
  }

  @Delete(':integrationRef')
  @Endpoint({
    summary: 'Remove a connector',
    description: `One of the catalog is disconnected and set to how it was made; an own one is removed with all that hangs on it. The provider is not asked. ${EPOCH}`,
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Connector removed, or reset',
    errors: [NOT_FOUND],
  })
  delete(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
  ): Promise<IntegrationDto> {
    return this.edits.remove(owner, organizationId, integrationRef);
  }

  @Patch(':integrationRef/status')
  @Endpoint({
    summary: 'Enable or disable a connector',
    description: `What runs have sent already ends; nothing new is sent while it is disabled. ${EPOCH}`,
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Connector updated',
    errors: [
      NOT_FOUND,
      withIssues(IntegrationErrors.conflict, IntegrationIssues.retired, IntegrationIssues.needsVerification),
    ],
  })
  setStatus(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() { enabled }: IntegrationStatusDto,
  ): Promise<IntegrationDto> {
    return this.edits.switch(owner, organizationId, integrationRef, enabled);
  }

  @Put(':integrationRef/profiles')
  @Endpoint({
    summary: 'Say which profiles may use a connector',
    description: `Operator and chat find it without a grant too, and then cannot use it; the operator only reads. ${EPOCH}`,
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Grants replaced',
    errors: [NOT_FOUND, STALE],
  })
  async setProfiles(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: ProfileGrantsDto,
  ): Promise<IntegrationDto> {
    return toIntegration(await this.grants.replace(owner, organizationId, integrationRef, body));
  }

  @Post(':integrationRef/context-mapping')
  @Endpoint({
    summary: 'Replace what a connector is used for',
    description: 'Agents read it. It describes and never authorizes; credential, tools and grants stay.',
    auth: 'owner',
    scope: 'settings',
    returns: IntegrationDto,
    message: 'Context replaced',
    errors: [
      withIssues(EdgeErrors.validationFailed, IntegrationIssues.noResources, IntegrationIssues.foreignResource),
      NOT_FOUND,
      STALE,
    ],
  })
  mapContext(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, integrationRef }: IntegrationParams,
    @Body() body: ContextMappingDto,
  ): Promise<IntegrationDto> {
    return this.contexts.replace(owner, organizationId, integrationRef, body);
  }
}
