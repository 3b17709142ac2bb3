import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { ChatErrors, MessageErrors } from '../chat.errors.ts';
import { lockChat } from '../chats.queries.ts';
import type { PostedMessageDto, PostMessageDto } from './message.dto.ts';
import {
  answeringProfile,
  insertAnswer,
  insertUserMessage,
  setLastMessage,
  hasActiveTurn,
} from './message-moves.queries.ts';

/**
 * Posts a message together with the answer that waits for a worker, both or none. Four round trips: enter the
 * organization, lock and read the chat, write both, commit.
 */
@Injectable()
export class MessagePostingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly signals: ChatSignalsService,
    private readonly activity: ActivityLogService,
  ) {}

  post(
    owner: OwnerPrincipal,
    organizationId: string,
    chatId: string,
    body: PostMessageDto,
    request: IdempotentRequest,
  ): Promise<PostedMessageDto> {
    return this.transactions.statementsInOrganization(
      owner,
      organizationId,
      (tx) =>
        this.idempotency.once(
          tx,
          { subject: owner.subject, request, details: body, organizationOf: () => organizationId },
          () => this.postIn(tx, owner, chatId, body),
        ),
      // The one chat of an organization that is being onboarded refuses with a code of its own.
      { whileOnboarding: true },
    );
  }

  private async postIn(
    tx: Tx,
    actor: OwnerPrincipal,
    chatId: string,
    { author, parts }: PostMessageDto,
  ): Promise<PostedMessageDto> {
    const { organizationId } = tx;
    const { chat, agentProfileId } = await lockForPost(tx, chatId);
    // In this order: messages of the same microsecond are listed by their ids.
    const [id, answerId] = [newId(), newId()];
    const numbered = parts.map(({ kind, text }, index) => ({ id: `p${index + 1}`, kind, text }));
    const subject = { kind: 'message', id, label: chat.title };
    const [[said], [answer]] = await tx.batch([
      insertUserMessage(organizationId, chatId, { id, author, scopes: actor.scopes, parts: numbered }),
      insertAnswer(organizationId, chatId, { id: answerId, replyToMessageId: id, agentProfileId }),
      setLastMessage(organizationId, chatId, answerId),
      ...this.activity.entry(tx, {
        actor,
        verb: 'message.posted',
        subject,
        details: { chatId },
        facts: { turnId: answerId },
      }),
    ]);
    tx.afterCommit(() => {
      this.signals.message({ organizationId, chatId, messageId: answerId, revision: 1, delta: null });
      this.signals.turnReady(organizationId);
    });
    return { userMessage: said!, assistantMessage: answer! };
  }
}

/** Locks the chat and answers it with the profile that will answer; refuses a chat that takes no message. */
async function lockForPost(tx: Tx, chatId: string) {
  const { organizationId } = tx;
  const [[chat], [turn], [profile]] = await tx.batch([
    lockChat(organizationId, chatId),
    hasActiveTurn(organizationId, chatId),
    answeringProfile(organizationId),
  ]);
  if (!chat) throw new ApiError(ChatErrors.notFound);
  if (chat.isOnboardingChat) throw new ApiError(ChatErrors.onboardingImmutable);
  if (chat.status === 'archived')
    throw new ApiError(MessageErrors.refused, { message: 'The chat is archived: restore it first.' });
  if (turn!.active) throw new ApiError(MessageErrors.turnActive);
  if (!profile)
    throw new ApiError(MessageErrors.refused, {
      message: 'The agent that answers in chats is disabled: enable its profile first.',
    });
  return { chat, agentProfileId: profile.id };
}
