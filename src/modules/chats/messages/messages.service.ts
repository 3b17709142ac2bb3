import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { ChatErrors, MessageErrors } from '../chat.errors.ts';
import { chatExists } from '../chats.queries.ts';
import type { MessageDto, MessageListQuery } from './message.dto.ts';
import { messageById, messagesOf } from './messages.queries.ts';

/** Lists and reads messages for owners. */
@Injectable()
export class MessagesService {
  constructor(private readonly reads: Reads) {}

  list(
    owner: OwnerPrincipal,
    organizationId: string,
    chatId: string,
    query: MessageListQuery,
  ): Promise<Page<MessageDto>> {
    const list = messagesOf(organizationId, chatId, query);
    return this.reads.listInOrganization(owner, organizationId, {
      statements: () => [chatExists(organizationId, chatId), ...list.statements()],
      result([chat, ...sets]) {
        if (chat.length === 0) throw new ApiError(ChatErrors.notFound);
        return list.result(sets);
      },
    });
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<MessageDto> {
    const [message] = await this.reads.inOrganization(owner, organizationId, messageById(organizationId, id));
    if (!message) throw new ApiError(MessageErrors.notFound);
    return message;
  }
}
