import { Injectable } from '@nestjs/common';
import type { Statement } from '../../../kernel/database/index.ts';

export interface ChatRef {
  readonly organizationId: string;
  readonly id: string;
}

/** Removes at most `limit` rows of a deleted chat, inside its organization; answers one row for each. */
export type ChatRemoval = (chat: ChatRef, limit: number) => Statement;

/**
 * Port, declared here and implemented by modules above (`durability`): the purge of a chat removes what they keep of
 * it.
 */
@Injectable()
export class ChatContents {
  readonly removals: ChatRemoval[] = [];

  register(removal: ChatRemoval): void {
    this.removals.push(removal);
  }
}
