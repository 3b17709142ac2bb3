import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import type { ChatDto } from './chat.dto.ts';
import { insertChat, type NewChat } from './chats.queries.ts';

/** Creates chats in the caller's transaction; the caller writes the activity. */
@Injectable()
export class ChatCreationService {
  async createIn(tx: Tx, chat: NewChat): Promise<ChatDto> {
    return (await tx.rows(insertChat(tx.organizationId, newId(), chat)))[0]!;
  }
}
