import { Injectable } from '@nestjs/common';
import type { Statement } from '../../../kernel/database/index.ts';

export interface ChatRef {
  readonly organizationId: string;
  readonly id: string;
}

/** Removes at most `limit` rows of a deleted chat, inside its organization; answers one row for each. */
export type ChatRemoval = (chat: ChatRef, limit: number) => Statement;

/** Port: declared here, implemented by modules above (`durability`): what they keep of a chat goes when it is purged. */
@Injectable()
export class ChatContents {
  readonly removals: ChatRemoval[] = [];

  register(removal: ChatRemoval): void {
    this.removals.push(removal);
  }
}
