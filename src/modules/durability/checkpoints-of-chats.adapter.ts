import { Injectable } from '@nestjs/common';
import { ChatContents } from '../chats/index.ts';
import { removeRowsOfChat } from './durability.queries.ts';

/** Lets what the turns of a chat kept go with it. Tasks stay as long as their organization. */
@Injectable()
export class CheckpointsOfChats {
  constructor(contents: ChatContents) {
    contents.register(removeRowsOfChat);
  }
}
