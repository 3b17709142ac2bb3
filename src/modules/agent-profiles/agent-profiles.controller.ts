import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import {
  AgentProfileDto,
  AgentProfileListQuery,
  AgentProfileParams,
  CreateAgentProfileDto,
  ProvisionDto,
  ProvisionedDto,
  UpdateAgentProfileDto,
} from './agent-profile.dto.ts';
import { AgentProfileErrors, ProfileIssues } from './agent-profile.errors.ts';
import { AgentProfileProvisioningService } from './agent-profile-provisioning.service.ts';
import { AgentProfilesService } from './agent-profiles.service.ts';
import { CatalogErrors } from './catalogs/catalog.errors.ts';

@ApiTags('agent-profiles')
@Controller('organizations/:organizationId/agent-profiles')
export class AgentProfilesController {
  constructor(
    private readonly profiles: AgentProfilesService,
    private readonly provisioning: AgentProfileProvisioningService,
  ) {}

  @Get()
  @Endpoint({ summary: 'List the agent profiles', auth: 'owner', scope: 'read', returns: AgentProfileDto, list: true })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: AgentProfileListQuery,
  ): Promise<Page<AgentProfileDto>> {
    return this.profiles.list(owner, organizationId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create an agent profile',
    description:
      'Any number of profiles per department, one operator, one chat. What is left out comes from the current catalog: the entry of that key, else the department’s.',
    auth: 'owner',
    scope: 'settings',
    returns: AgentProfileDto,
    status: 201,
    message: 'Agent profile created',
    errors: [
      withIssues(EdgeErrors.validationFailed, ProfileIssues.keyOfKind, ProfileIssues.keyOfDepartment),
      AgentProfileErrors.keyInUse,
      CatalogErrors.unpublished,
    ],
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CreateAgentProfileDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<AgentProfileDto> {
    return this.profiles.create(owner, organizationId, body, request);
  }

  @Post('provision')
  @Endpoint({
    summary: 'Provision the built-in profiles',
    description:
      'Enables or creates operator, chat and one profile for each department named, pins them to a catalog revision, disables the profiles of the other departments and sets `config.departments` to match. Instructions and configuration that were changed stay.',
    auth: 'owner',
    scope: 'settings',
    returns: ProvisionedDto,
    message: 'Agent profiles provisioned',
    errors: [CatalogErrors.revisionNotFound, CatalogErrors.unpublished],
    idempotencyKey: 'optional',
  })
  provision(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: ProvisionDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ProvisionedDto> {
    return this.provisioning.provision(owner, organizationId, body, request);
  }

  @Get(':id')
  @Endpoint({
    summary: 'Read an agent profile',
    auth: 'owner',
    scope: 'read',
    returns: AgentProfileDto,
    errors: [AgentProfileErrors.notFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: AgentProfileParams): Promise<AgentProfileDto> {
    return this.profiles.read(owner, organizationId, id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change an agent profile',
    description: 'Key, kind and department are fixed. `config` is merged one level deep; lists are replaced.',
    auth: 'owner',
    scope: 'settings',
    returns: AgentProfileDto,
    message: 'Agent profile updated',
    errors: [AgentProfileErrors.notFound],
  })
  update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: AgentProfileParams,
    @Body() body: UpdateAgentProfileDto,
  ): Promise<AgentProfileDto> {
    return this.profiles.update(owner, organizationId, id, body);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a department’s agent profile',
    description:
      'Hides the profile, frees its key, ends its runs and pauses its schedules; what it did stays readable. The operator and chat profiles cannot be deleted.',
    auth: 'owner',
    scope: 'settings',
    returns: AgentProfileDto,
    message: 'Agent profile deleted',
    errors: [AgentProfileErrors.notFound, AgentProfileErrors.notDeletable],
  })
  delete(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: AgentProfileParams,
  ): Promise<AgentProfileDto> {
    return this.profiles.delete(owner, organizationId, id);
  }
}
