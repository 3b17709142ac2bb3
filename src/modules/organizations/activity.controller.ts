import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ActivityDto, ActivityListQuery } from './activity.dto.ts';
import { activityOf, toActivity } from './activity.queries.ts';
import { OrganizationParams } from './organization.dto.ts';

@ApiTags('organizations')
@Controller('organizations/:organizationId/activity')
export class ActivityController {
  constructor(private readonly reads: Reads) {}

  @Get()
  @Endpoint({
    summary: 'List what happened',
    description:
      'Append-only, newest first. Every use of the bootstrap token is in it, as one counted row a minute (`bootstrap.used`).',
    auth: 'owner',
    returns: ActivityDto,
    list: true,
  })
  async list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: ActivityListQuery,
  ): Promise<Page<ActivityDto>> {
    const page = await this.reads.listInOrganization(owner.subject, organizationId, activityOf(organizationId, query));
    return page.map(toActivity);
  }
}
