import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../kernel/auth/index.ts';
import type { OrganizationAccess } from '../../kernel/tenancy/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import type { Existing } from '../../kernel/http/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import type { InboxItemDto, InboxListQuery, InboxSummaryDto, OpenInboxItemDto } from './inbox-item.dto.ts';
import { InboxErrors } from './inbox-item.errors.ts';
import { postedMessage } from './inbox-moves.queries.ts';
import { inboxItem, inboxItemsOf, inboxSummary } from './inbox.queries.ts';
import { ItemClosingService, type Responder } from './item-closing.service.ts';
import { ItemOpeningService } from './item-opening.service.ts';

/** What executions do with the inbox: all open items, and a person's own turn of the chat reads and closes them. */
@Injectable()
export class InboxAgentService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly opening: ItemOpeningService,
    private readonly closing: ItemClosingService,
  ) {}

  list(execution: ExecutionPrincipal, query: InboxListQuery): Promise<Page<InboxItemDto>> {
    return this.reads.listThrough(this.access(execution), inboxItemsOf(execution.organizationId, query));
  }

  async summary(execution: ExecutionPrincipal): Promise<InboxSummaryDto> {
    const [summary] = await this.reads.through(this.access(execution), inboxSummary(execution.organizationId));
    return summary!;
  }

  async read(execution: ExecutionPrincipal, id: string): Promise<InboxItemDto> {
    const [item] = await this.reads.through(this.access(execution), inboxItem(execution.organizationId, id));
    if (!item) throw new ApiError(InboxErrors.notFound);
    return item;
  }

  open(execution: ExecutionPrincipal, body: OpenInboxItemDto): Promise<InboxItemDto | Existing<InboxItemDto>> {
    return this.transactions.through(this.access(execution), (tx) => this.opening.open(tx, execution, body));
  }

  respond(execution: ExecutionPrincipal, id: string, text: string): Promise<InboxItemDto> {
    return this.transactions.through(this.access(execution), (tx) =>
      this.closing.respond(tx, id, text, () => this.responderOf(tx, execution)),
    );
  }

  acknowledge(execution: ExecutionPrincipal, id: string): Promise<InboxItemDto> {
    return this.transactions.through(this.access(execution), (tx) =>
      this.closing.acknowledge(tx, id, () => this.responderOf(tx, execution)),
    );
  }

  private access(execution: ExecutionPrincipal): OrganizationAccess {
    return this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
  }

  /** The author of the message that the turn answers. The turn is held, so that nothing lands behind its end. */
  private async responderOf(tx: Tx, execution: ExecutionPrincipal): Promise<Responder> {
    const held = await this.executions.hold(tx, execution);
    const messageId = held.execution === 'chat_turn' ? held.userMessageId : null;
    const [message] = messageId === null ? [] : await tx.rows(postedMessage(tx.organizationId, messageId));
    if (!message) throw new ApiError(EdgeErrors.stateConflict, { message: 'The turn answers no message of a person.' });
    const by = { kind: 'human', id: null, name: message.author?.displayName ?? 'human' } as const;
    return { actor: execution, by, channel: 'chat', messageId, postedAt: message.postedAt };
  }
}
