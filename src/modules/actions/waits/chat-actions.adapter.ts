import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ChatDeleted, type ChatFollower } from '../../chats/index.ts';
import { ACTIONS_BACKEND, ActionEndingService } from '../action-ending.service.ts';
import { unsentOfChat } from './action-waits.queries.ts';

const DELETED = { code: 'chat_deleted', message: 'The chat was deleted before the action was sent.' };

/** Cancels what a chat leaves unsent when it is deleted. */
@Injectable()
export class ChatActions implements ChatFollower {
  constructor(
    private readonly endings: ActionEndingService,
    chats: ChatDeleted,
  ) {
    chats.register(this);
  }

  async chatDeleted(tx: Tx, chatId: string): Promise<void> {
    const actions = await tx.rows(unsentOfChat(tx.organizationId, chatId));
    await this.endings.endAll(tx, actions, { move: 'cancel', error: DELETED, actor: ACTIONS_BACKEND });
  }
}
