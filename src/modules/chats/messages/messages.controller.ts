import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Owner, type OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Endpoint } from '../../../kernel/http/index.ts';
import { Idempotent, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { ChatErrors, MessageErrors } from '../chat.errors.ts';
import { MessageCancellationService } from './message-cancellation.service.ts';
import { MessagePostingService } from './message-posting.service.ts';
import {
  MessageDto,
  MessageInChatParams,
  MessageListQuery,
  MessageParams,
  PostedMessageDto,
  PostMessageDto,
} from './message.dto.ts';
import { MessagesService } from './messages.service.ts';
import { InChatParams } from '../chat.dto.ts';

@ApiTags('chats')
@Controller('organizations/:organizationId')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly posting: MessagePostingService,
    private readonly cancellation: MessageCancellationService,
  ) {}

  @Get('chats/:chatId/messages')
  @Endpoint({
    summary: 'List the messages of a chat',
    description: 'An answer that is being written has the text so far.',
    auth: 'owner',
    scope: 'read',
    returns: MessageDto,
    list: true,
    errors: [ChatErrors.notFound],
  })
  list(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, chatId }: InChatParams,
    @Query() query: MessageListQuery,
  ): Promise<Page<MessageDto>> {
    return this.messages.list(owner, organizationId, chatId, query);
  }

  @Post('chats/:chatId/messages')
  @Endpoint({
    summary: 'Post a message',
    description:
      'Stores the message together with its `pending` answer, which an agent writes. While an answer is under way, in an archived chat, and while the chat agent is disabled, a message is refused.',
    auth: 'owner',
    scope: 'work',
    // 20 parts of 32,000 characters.
    bodyLimitBytes: 3 * 1024 * 1024,
    returns: PostedMessageDto,
    status: 202,
    message: 'Message accepted',
    errors: [ChatErrors.notFound, MessageErrors.turnActive, MessageErrors.refused, ChatErrors.onboardingImmutable],
    idempotencyKey: 'optional',
  })
  post(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, chatId }: InChatParams,
    @Body() body: PostMessageDto,
    @Idempotent() request: IdempotentRequest,
  ): Promise<PostedMessageDto> {
    return this.posting.post(owner, organizationId, chatId, body, request);
  }

  @Get('messages/:id')
  @Endpoint({
    summary: 'Read a message',
    auth: 'owner',
    scope: 'read',
    returns: MessageDto,
    errors: [MessageErrors.notFound],
  })
  read(@Owner() owner: OwnerPrincipal, @Param() { organizationId, id }: MessageParams): Promise<MessageDto> {
    return this.messages.read(owner, organizationId, id);
  }

  @Post('chats/:chatId/messages/:messageId/cancel')
  @Endpoint({
    summary: 'Cancel an answer',
    description:
      'The answer becomes `cancelling`, then `cancelled` with the text so far, unless it is completed before. A repeat while it is `cancelling` changes nothing.',
    auth: 'owner',
    scope: 'work',
    returns: MessageDto,
    message: 'Cancellation requested',
    errors: [MessageErrors.notFound, MessageErrors.notCancellable],
    idempotencyKey: 'optional',
  })
  cancel(
    @Owner() owner: OwnerPrincipal,
    @Param() { organizationId, chatId, messageId }: MessageInChatParams,
    @Idempotent() request: IdempotentRequest,
  ): Promise<MessageDto> {
    return this.cancellation.cancel(owner, organizationId, chatId, messageId, request);
  }
}
