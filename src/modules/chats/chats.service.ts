import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import { ActivityLogService } from '../organizations/index.ts';
import { ChatCreationService } from './chat-creation.service.ts';
import type { ChatDto, ChatListQuery, CreateChatDto } from './chat.dto.ts';
import { ChatErrors } from './chat.errors.ts';
import { chatById, chatsOf } from './chats.queries.ts';

/** Lists, reads and creates chats for owners. */
@Injectable()
export class ChatsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly creation: ChatCreationService,
    private readonly activity: ActivityLogService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: ChatListQuery): Promise<Page<ChatDto>> {
    return this.reads.listInOrganization(owner, organizationId, chatsOf(organizationId, query));
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<ChatDto> {
    const [chat] = await this.reads.inOrganization(owner, organizationId, chatById(organizationId, id));
    if (!chat) throw new ApiError(ChatErrors.notFound);
    return chat;
  }

  create(
    owner: OwnerPrincipal,
    organizationId: string,
    { title }: CreateChatDto,
    request: IdempotentRequest,
  ): Promise<ChatDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: { title }, organizationOf: () => organizationId },
        async () => {
          const chat = await this.creation.createIn(tx, { title });
          await this.activity.record(tx, {
            actor: owner,
            verb: 'chat.created',
            subject: { kind: 'chat', id: chat.id, label: title },
          });
          return chat;
        },
      ),
    );
  }
}
