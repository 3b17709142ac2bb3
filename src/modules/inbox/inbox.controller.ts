import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { InboxItemDto, InboxItemParams, InboxListQuery, InboxSummaryDto, RespondDto } from './inbox-item.dto.ts';
import { InboxErrors, InboxIssues } from './inbox-item.errors.ts';
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

  @Post('human-inbox/:inboxItemId/respond')
  @Endpoint({
    summary: 'Answer a question',
    description:
      'Records the one response; a task that waits for it goes on, and its next run finds the answer in its manifest. The same text again answers with the recorded response, another text is a conflict. A text that is the id of an option chooses it. The backend’s own questions about a task take `retry` and `cancel`.',
    auth: 'owner',
    scope: 'decide',
    returns: InboxItemDto,
    message: 'Response recorded',
    errors: [
      withIssues(EdgeErrors.validationFailed, InboxIssues.unknownOption),
      InboxErrors.notFound,
      InboxErrors.notOpen,
      InboxErrors.noQuestion,
    ],
    idempotencyKey: 'optional',
  })
  respond(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, inboxItemId }: InboxItemParams,
    @Body() { response }: RespondDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<InboxItemDto> {
    return this.inbox.respond(owner, organizationId, { id: inboxItemId, response }, request);
  }

  @Post('human-inbox/:inboxItemId/acknowledge')
  @Endpoint({
    summary: 'Acknowledge a notification',
    auth: 'owner',
    scope: 'decide',
    returns: InboxItemDto,
    message: 'Notification acknowledged',
    errors: [InboxErrors.notFound, InboxErrors.notOpen, InboxErrors.noNotification],
    idempotencyKey: 'optional',
  })
  acknowledge(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, inboxItemId }: InboxItemParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<InboxItemDto> {
    return this.inbox.acknowledge(owner, organizationId, inboxItemId, request);
  }
}
