import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';

/** What follows when a chat is deleted. */
export interface ChatFollower {
  /** Runs in the transaction of the deletion, which holds the chat. */
  chatDeleted(tx: Tx, chatId: string): Promise<void>;
}

/** Port: declared here, implemented by modules above that keep what hangs on a chat. */
@Injectable()
export class ChatDeleted {
  private readonly followers: ChatFollower[] = [];

  register(follower: ChatFollower): void {
    this.followers.push(follower);
  }

  async deleted(tx: Tx, chatId: string): Promise<void> {
    for (const follower of this.followers) await follower.chatDeleted(tx, chatId);
  }
}
