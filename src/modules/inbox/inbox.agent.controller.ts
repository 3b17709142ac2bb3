import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Execution, type ExecutionPrincipal } from '../../kernel/auth/index.ts';
import { EdgeErrors, withIssues } from '../../kernel/errors/index.ts';
import { Endpoint, type EndpointSpec, type Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import {
  InboxItemDto,
  InboxItemParams,
  InboxListQuery,
  InboxSummaryDto,
  OpenInboxItemDto,
  RespondDto,
} from './inbox-item.dto.ts';
import { InboxErrors, InboxIssues } from './inbox-item.errors.ts';
import { InboxAgentService } from './inbox.agent.service.ts';

/** A turn in which the chat agent answers a person. */
const TURNS = {
  auth: 'execution',
  execution: { kinds: ['chat_turn'], profileKinds: ['chat'] },
} as const satisfies Partial<EndpointSpec>;

const ONLY_OLDER =
  'In a turn only items that were there, with their present text, before the message that it answers was posted.';

@ApiTags('Internal Agent')
@Controller('internal/agent/organizations/:organizationId/inbox')
export class InboxAgentController {
  constructor(private readonly inbox: InboxAgentService) {}

  @Get()
  @Endpoint({
    ...TURNS,
    summary: 'List the inbox items',
    description: 'For turns of the enabled chat profile: what owners see.',
    returns: InboxItemDto,
    list: true,
  })
  list(
    @Execution() execution: ExecutionPrincipal,
    @Param() _organization: OrganizationParams,
    @Query() query: InboxListQuery,
  ): Promise<Page<InboxItemDto>> {
    return this.inbox.list(execution, query);
  }

  @Post()
  @Endpoint({
    auth: 'execution',
    scope: 'work',
    summary: 'Ask or tell people something',
    description:
      'A run asks questions (name one in a `handoff`, and its task waits for the answer) and opens notifications, a chat turn only notifications; while its profile is enabled. The answer stands in the manifest of the next run. At most 20 items of a run or turn are open at once, and 1,000 of all agents of an organization.',
    returns: InboxItemDto,
    status: 201,
    message: 'Item opened',
    existing: 'There is such an item',
    errors: [InboxErrors.notPermitted, InboxErrors.taskEnded, InboxErrors.tooManyOpen, InboxErrors.tooManyInputs],
  })
  open(
    @Execution() execution: ExecutionPrincipal,
    @Param() _organization: OrganizationParams,
    @Body() body: OpenInboxItemDto,
  ): Promise<InboxItemDto | Existing<InboxItemDto>> {
    return this.inbox.open(execution, body);
  }

  @Get('summary')
  @Endpoint({
    ...TURNS,
    summary: 'Count the open inbox items',
    description: 'For turns of the enabled chat profile.',
    returns: InboxSummaryDto,
  })
  summary(
    @Execution() execution: ExecutionPrincipal,
    @Param() _organization: OrganizationParams,
  ): Promise<InboxSummaryDto> {
    return this.inbox.summary(execution);
  }

  @Get(':inboxItemId')
  @Endpoint({
    ...TURNS,
    summary: 'Read an inbox item',
    description: 'For turns of the enabled chat profile.',
    returns: InboxItemDto,
    errors: [InboxErrors.notFound],
  })
  read(@Execution() execution: ExecutionPrincipal, @Param() { inboxItemId }: InboxItemParams): Promise<InboxItemDto> {
    return this.inbox.read(execution, inboxItemId);
  }

  @Post(':inboxItemId/respond')
  @Endpoint({
    ...TURNS,
    scope: 'decide',
    summary: 'Answer a question',
    description: `For turns of the enabled chat profile, on behalf of the person whose message the turn answers. ${ONLY_OLDER} The same text again answers with the recorded response.`,
    returns: InboxItemDto,
    message: 'Response recorded',
    errors: [
      withIssues(EdgeErrors.validationFailed, InboxIssues.unknownOption),
      InboxErrors.notFound,
      InboxErrors.notOpen,
      InboxErrors.noQuestion,
      InboxErrors.newerThanMessage,
    ],
  })
  respond(
    @Execution() execution: ExecutionPrincipal,
    @Param() { inboxItemId }: InboxItemParams,
    @Body() { response }: RespondDto,
  ): Promise<InboxItemDto> {
    return this.inbox.respond(execution, inboxItemId, response);
  }

  @Post(':inboxItemId/acknowledge')
  @Endpoint({
    ...TURNS,
    scope: 'decide',
    summary: 'Acknowledge a notification',
    description: `For turns of the enabled chat profile, on behalf of the person whose message the turn answers. ${ONLY_OLDER}`,
    returns: InboxItemDto,
    message: 'Notification acknowledged',
    errors: [InboxErrors.notFound, InboxErrors.notOpen, InboxErrors.noNotification, InboxErrors.newerThanMessage],
  })
  acknowledge(
    @Execution() execution: ExecutionPrincipal,
    @Param() { inboxItemId }: InboxItemParams,
  ): Promise<InboxItemDto> {
    return this.inbox.acknowledge(execution, inboxItemId);
  }
}
