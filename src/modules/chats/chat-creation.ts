import { Injectable } from '@nestjs/common';
import type { EntityTx } from '../../kernel/database/index.ts';
import { newId } from '../../kernel/ids/index.ts';
import { Organization } from '../organizations/index.ts';
import type { ChatDto } from './chat.dto.ts';
import { Chat } from './chat.entity.ts';
import { chatById } from './chats.queries.ts';

interface NewChat {
  readonly title: string;
  readonly isOnboardingChat?: boolean;
}

/** Makes chats in the transaction of whoever needs one, who also writes the activity. */
@Injectable()
export class ChatCreation {
  async createIn(tx: EntityTx, organizationId: string, chat: NewChat): Promise<ChatDto> {
    const id = newId();
    tx.em.create(Chat, { organization: tx.em.getReference(Organization, organizationId), id, ...chat });
    await tx.em.flush();
    return (await tx.rows(chatById(organizationId, id)))[0]!;
  }
}
