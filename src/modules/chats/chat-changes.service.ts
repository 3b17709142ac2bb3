import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, issueAt } from '../../kernel/errors/index.ts';
import { ActivityLogService } from '../organizations/index.ts';
import { changeOf, verbOf } from './chat-change.ts';
import { ChatDeleted } from './chat-deleted.port.ts';
import { ChatSignalsService } from './chat-signals.service.ts';
import type { ChatDto, UpdateChatDto } from './chat.dto.ts';
import { ChatErrors } from './chat.errors.ts';
import { lockChat, markDeleted, updateChat } from './chats.queries.ts';
import { discardTurn, hasActiveTurn } from './messages/message-moves.queries.ts';
import { PinnableTasks } from './pinnable-tasks.port.ts';

/** Changes of a chat by its owners, each on the locked chat. */
@Injectable()
export class ChatChangesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly signals: ChatSignalsService,
    private readonly tasks: PinnableTasks,
    private readonly followers: ChatDeleted,
    private readonly activity: ActivityLogService,
  ) {}

  /** Applies a patch; one that changes nothing leaves no trace. */
  update(owner: OwnerPrincipal, organizationId: string, id: string, body: UpdateChatDto): Promise<ChatDto> {
    return this.onChat(owner, organizationId, id, async (tx, chat, isAnswering) => {
      const change = changeOf(chat, body);
      if (Object.keys(change).length === 0) return chat;
      if (change.status === 'archived' && isAnswering) throw new ApiError(ChatErrors.responseActive);
      if (change.pinnedTaskIds) await this.checkPins(tx, change.pinnedTaskIds);
      const subject = { kind: 'chat', id, label: change.title ?? chat.title };
      const details = { changed: Object.keys(change) };
      const [[updated]] = await tx.batch([
        updateChat(organizationId, id, change),
        ...this.activity.entry(tx, { actor: owner, verb: verbOf(change), subject, details }),
      ]);
      return updated!;
    });
  }

  /**
   * Deletes a chat: from the commit on it is gone for all, also for the worker that answers and for readers of its
   * stream.
   */
  delete(owner: OwnerPrincipal, organizationId: string, id: string): Promise<ChatDto> {
    return this.onChat(owner, organizationId, id, async (tx, { title }) => {
      const subject = { kind: 'chat', id, label: title };
      const [, [deleted]] = await tx.batch([
        discardTurn(organizationId, id),
        markDeleted(organizationId, id),
        ...this.activity.entry(tx, { actor: owner, verb: 'chat.deleted', subject }),
      ]);
      await this.followers.deleted(tx, id);
      tx.afterCommit(() => this.signals.deleted({ organizationId, chatId: id }));
      return deleted!;
    });
  }

  /**
   * Runs `work` on the locked chat. Enters an organization that is being onboarded too: its one chat refuses with a
   * code of its own.
   */
  private onChat(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    work: (tx: Tx, chat: ChatDto, isAnswering: boolean) => Promise<ChatDto>,
  ): Promise<ChatDto> {
    return this.transactions.statementsInOrganization(
      owner,
      organizationId,
      async (tx) => {
        const [[chat], [turn]] = await tx.batch([lockChat(organizationId, id), hasActiveTurn(organizationId, id)]);
        if (!chat) throw new ApiError(ChatErrors.notFound);
        if (chat.isOnboardingChat) throw new ApiError(ChatErrors.onboardingImmutable);
        return work(tx, chat, turn!.active);
      },
      { whileOnboarding: true },
    );
  }

  private async checkPins(tx: Tx, ids: readonly string[]): Promise<void> {
    const known = await this.tasks.among(tx, ids);
    const issues = ids.flatMap((id, index) =>
      known.has(id)
        ? []
        : [
            issueAt(
              `settings.pinnedTaskIds.${index}`,
              EdgeIssues.unknownReference,
              'names no task of the organization',
            ),
          ],
    );
    if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
  }
}
