import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import {
  OrganizationDto,
  OrganizationListQuery,
  OrganizationParams,
  UpdateOrganizationDto,
} from './organization.dto.ts';
import { OrganizationsService } from './organizations.service.ts';

@ApiTags('organizations')
@Controller('organizations')
export class OrganizationsController {
  constructor(private readonly organizations: OrganizationsService) {}

  @Get()
  @Endpoint({
    summary: 'List your organizations',
    description: 'Newest first. The cursor is the id of the last organization of the page before.',
    auth: 'owner',
    scope: 'read',
    returns: OrganizationDto,
    list: true,
  })
  list(@Owner() owner: OwnerPrincipal, @Query() query: OrganizationListQuery): Promise<Page<OrganizationDto>> {
    return this.organizations.list(owner, query);
  }

  @Get(':organizationId')
  @Endpoint({ summary: 'Read an organization', auth: 'owner', scope: 'read', returns: OrganizationDto })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<OrganizationDto> {
    return this.organizations.read(owner, organizationId);
  }

  @Patch(':organizationId')
  @Endpoint({
    summary: 'Change an organization',
    description:
      'Objects are merged one level deep, lists are replaced. Disabling a department disables its agent profiles: queued work waits, running work ends normally.',
    auth: 'owner',
    scope: 'settings',
    returns: OrganizationDto,
    message: 'Organization updated',
  })
  update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: UpdateOrganizationDto,
  ): Promise<OrganizationDto> {
    return this.organizations.update(owner, organizationId, body);
  }

  @Delete(':organizationId')
  @Endpoint({
    summary: 'Delete an organization',
    description: 'Hides the organization from all callers at once and frees its slug; its data is purged soon after.',
    auth: 'owner',
    scope: 'settings',
    returns: OrganizationDto,
    message: 'Organization deleted',
  })
  delete(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<OrganizationDto> {
    return this.organizations.delete(owner, organizationId);
  }
}
