import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { ActivityDto, ActivityListQuery } from './activity.dto.ts';
import { ActivityLogService } from './activity-log.service.ts';
import { OrganizationParams } from '../organization.dto.ts';

@ApiTags('organizations')
@Controller('organizations/:organizationId/activity')
export class ActivityController {
  constructor(private readonly activity: ActivityLogService) {}

  @Get()
  @Endpoint({
    summary: 'List the activity',
    description:
      'What owners, agents and the service did, newest first; entries are never changed. Calls of the bootstrap token are counted in one entry a minute (`bootstrap.used`).',
    auth: 'owner',
    scope: 'read',
    returns: ActivityDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: ActivityListQuery,
  ): Promise<Page<ActivityDto>> {
    return this.activity.list(owner, organizationId, query);
  }
}
