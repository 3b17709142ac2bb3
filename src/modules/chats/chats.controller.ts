import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Endpoint } from '../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { OrganizationParams } from '../organizations/index.ts';
import { ChatChangesService } from './chat-changes.service.ts';
import { ChatDto, ChatListQuery, ChatParams, CreateChatDto, UpdateChatDto } from './chat.dto.ts';
import { ChatErrors } from './chat.errors.ts';
import { ChatsService } from './chats.service.ts';

@ApiTags('chats')
@Controller('organizations/:organizationId/chats')
export class ChatsController {
  constructor(
    private readonly chats: ChatsService,
    private readonly changes: ChatChangesService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'List the chats',
    description: '`search` finds titles and messages; an answer is found once it has ended.',
    auth: 'owner',
    scope: 'read',
    returns: ChatDto,
    list: true,
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Query() query: ChatListQuery,
  ): Promise<Page<ChatDto>> {
    return this.chats.list(owner, organizationId, query);
  }

  @Post()
  @Endpoint({
    summary: 'Create a chat',
    auth: 'owner',
    scope: 'work',
    returns: ChatDto,
    status: 201,
    message: 'Chat created',
    idempotencyKey: 'optional',
  })
  create(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId }: OrganizationParams,
    @Body() body: CreateChatDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<ChatDto> {
    return this.chats.create(owner, organizationId, body, request);
  }

  @Get(':id')
  @Endpoint({ summary: 'Read a chat', auth: 'owner', scope: 'read', returns: ChatDto, errors: [ChatErrors.notFound] })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: ChatParams): Promise<ChatDto> {
    return this.chats.read(owner, organizationId, id);
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Rename, archive or restore a chat, or pin tasks to it',
    description:
      'An archived chat takes no messages until `open` restores it. A chat cannot be archived while an answer is under way. `pinnedTaskIds` replaces the whole list.',
    auth: 'owner',
    scope: 'work',
    returns: ChatDto,
    message: 'Chat updated',
    errors: [ChatErrors.notFound, ChatErrors.responseActive, ChatErrors.onboardingImmutable],
  })
  update(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, id }: ChatParams,
    @Body() body: UpdateChatDto,
  ): Promise<ChatDto> {
    return this.changes.update(owner, organizationId, id, body);
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete a chat',
    description:
      'Hides the chat at once, and ends an answer that is under way. Messages and attachments are purged soon after; tasks that came of the chat stay.',
    auth: 'owner',
    scope: 'work',
    returns: ChatDto,
    message: 'Chat deleted',
    errors: [ChatErrors.notFound, ChatErrors.onboardingImmutable],
  })
  delete(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: ChatParams): Promise<ChatDto> {
    return this.changes.delete(owner, organizationId, id);
  }
}
