import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { MessageErrors } from '../chat.errors.ts';
import { lockChat } from '../chats.queries.ts';
import type { MessageDto } from './message.dto.ts';
import { messageInChat, requestCancel } from './message-moves.queries.ts';

/**
 * Requests the end of an answer; its worker learns of that from its next call, unless it completes the answer before.
 */
@Injectable()
export class MessageCancellationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly activity: ActivityLogService,
    private readonly signals: ChatSignalsService,
  ) {}

  cancel(
    owner: OwnerPrincipal,
    organizationId: string,
    chatId: string,
    id: string,
    request: IdempotentRequest,
  ): Promise<MessageDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: {}, organizationOf: () => organizationId },
        () => this.cancelIn(tx, owner, chatId, id),
      ),
    );
  }

  private async cancelIn(tx: Tx, actor: OwnerPrincipal, chatId: string, id: string): Promise<MessageDto> {
    const { organizationId } = tx;
    const [[chat], requested, [message]] = await tx.batch([
      lockChat(organizationId, chatId),
      requestCancel(organizationId, chatId, id),
      messageInChat(organizationId, chatId, id),
    ]);
    if (!chat || !message) throw new ApiError(MessageErrors.notFound);
    if (message.status !== 'cancelling') throw new ApiError(MessageErrors.notCancellable);
    if (requested.length === 0) return message;
    await this.activity.record(tx, {
      actor,
      verb: 'message.cancel_requested',
      subject: { kind: 'message', id, label: chat.title },
      details: { chatId },
      facts: { turnId: id },
    });
    const { revision } = message;
    tx.afterCommit(() => this.signals.message({ organizationId, chatId, messageId: id, revision, delta: null }));
    return message;
  }
}
