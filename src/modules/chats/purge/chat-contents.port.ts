import { Injectable } from '@nestjs/common';
import type { Statement } from '../../../kernel/database/index.ts';

export interface ContentsOf {
  readonly organizationId: string;
  readonly id: string;
}

/** Removes so many rows of a deleted chat at most, inside its organization, and answers a row for each that went. */
export type ChatRemoval = (chat: ContentsOf, batch: number) => Statement;

/** Port: declared here, implemented by modules above (`durability`): what they keep of a chat goes when it is purged. */
@Injectable()
export class ChatContents {
  readonly removals: ChatRemoval[] = [];

  register(removal: ChatRemoval): void {
    this.removals.push(removal);
  }
}
