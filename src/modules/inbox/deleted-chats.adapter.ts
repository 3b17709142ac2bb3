import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { ChatDeleted, type ChatFollower } from '../chats/index.ts';
import { BACKEND, InboxItemsService } from './inbox-items.service.ts';
import { isOpenedIn } from './inbox-moves.queries.ts';

/** Withdraws what turns of a chat told people, once the chat is deleted. */
@Injectable()
export class DeletedChats implements ChatFollower {
  constructor(
    chats: ChatDeleted,
    private readonly items: InboxItemsService,
  ) {
    chats.register(this);
  }

  async chatDeleted(tx: Tx, chatId: string): Promise<void> {
    await this.items.close(tx, isOpenedIn(chatId), { move: 'withdraw', by: null, reason: 'chat_deleted' }, BACKEND);
  }
}
