import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { ObjectStore } from '../../../kernel/storage/index.ts';
import { attachmentFolder } from '../attachments/attachment.entity.ts';
import { ChatContents } from './chat-contents.port.ts';
import { ChatErrors } from '../chat.errors.ts';
import {
  CONTENT_REMOVALS,
  type DeletedChat,
  deletedChats,
  PURGED_ROWS_LIMIT,
  DELETED_CHATS_LIMIT,
  removeChat,
} from './chat-purge.queries.ts';

/**
 * Removes the contents of deleted chats: rows in bounded batches, then the bytes, and the chat last, so that the next
 * tick finds again what a process that died half way left.
 */
@Injectable()
export class ChatPurgeJobs {
  private readonly logger = new Logger('Chats');

  constructor(
    private readonly transactions: Transactions,
    private readonly objects: ObjectStore,
    private readonly contents: ChatContents,
  ) {}

  @Job('chat-purge', CronExpression.EVERY_MINUTE)
  async purgeDeleted(signal: AbortSignal): Promise<void> {
    let found: DeletedChat[] = [];
    do {
      found = await this.transactions.dispatch((run) => run(deletedChats(found.at(-1))));
      for (const chat of found) await this.attempt(chat, signal);
    } while (found.length === DELETED_CHATS_LIMIT && !signal.aborted);
  }

  private async attempt(chat: DeletedChat, signal: AbortSignal): Promise<void> {
    try {
      await this.purge(chat, signal);
    } catch (error) {
      // Not found: the organization was deleted meanwhile, with all its chats. No other error may hold up the other chats.
      if (!(error instanceof ApiError && error.row === ChatErrors.notFound))
        this.logger.error(`chat ${chat.id} was not purged`, (error as Error).stack);
    }
  }

  private async purge(chat: DeletedChat, signal: AbortSignal): Promise<void> {
    for (const removal of [...this.contents.removals, ...CONTENT_REMOVALS]) {
      let removed: number;
      do {
        if (signal.aborted) return;
        removed = await this.run(chat, removal(chat, PURGED_ROWS_LIMIT));
      } while (removed === PURGED_ROWS_LIMIT);
    }
    await this.objects.deletePrefix(attachmentFolder(chat.organizationId, chat.id));
    await this.run(chat, removeChat(chat));
  }

  private async run({ organizationId }: DeletedChat, removal: Statement): Promise<number> {
    const [rows] = await this.transactions.batch(activeAccess(organizationId, ChatErrors.notFound), [removal]);
    return rows.length;
  }
}
