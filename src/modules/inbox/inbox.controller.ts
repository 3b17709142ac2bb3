import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { InboxItemDto, InboxItemParams, InboxListQuery, InboxSummaryDto } from './inbox-item.dto.ts';
import { InboxErrors } from './inbox-item.errors.ts';
import { InboxService } from './inbox.service.ts';

@ApiTags('inbox')
@Controller('organizations/:organizationId')
export class InboxController {
  constructor(private readonly inbox: InboxService) {}

  @Get('human-inbox')
  @Endpoint({
    summary: 'List the inbox items',
    description:
      'Questions and notifications of agents and of the backend, approvals of actions, and operations whose outcome has to be found out. `status=open` lists what waits for a person. Items that are closed meanwhile leave the list without hiding others.',
    auth: 'owner',
    scope: 'read',
    returns: InboxItemDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: InboxListQuery,
  ): Promise<Page<InboxItemDto>> {
    return this.inbox.list(owner, organizationId, query);
  }

  @Get('inbox/summary')
  @Endpoint({
    summary: 'Count the open inbox items',
    auth: 'owner',
    scope: 'read',
    returns: InboxSummaryDto,
  })
  summary(@Owner() owner: OwnerPrincipal, @Param() { organizationId }: OrganizationParams): Promise<InboxSummaryDto> {
    return this.inbox.summary(owner, organizationId);
  }

  @Get('human-inbox/:inboxItemId')
  @Endpoint({
    summary: 'Read an inbox item',
    auth: 'owner',
    scope: 'read',
    returns: InboxItemDto,
    errors: [InboxErrors.notFound],
  })
  read(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, inboxItemId }: InboxItemParams,
  ): Promise<InboxItemDto> {
    return this.inbox.read(owner, organizationId, inboxItemId);
  }
}
