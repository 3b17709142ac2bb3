import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../kernel/idempotency/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import type { InboxItemDto, InboxListQuery, InboxSummaryDto } from './inbox-item.dto.ts';
import { InboxErrors } from './inbox-item.errors.ts';
import { inboxItem, inboxItemsOf, inboxSummary } from './inbox.queries.ts';
import { ItemClosingService, type Responder } from './item-closing.service.ts';

/** What owners do with the inbox. */
@Injectable()
export class InboxService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly closing: ItemClosingService,
  ) {}

  list(owner: OwnerPrincipal, organizationId: string, query: InboxListQuery): Promise<Page<InboxItemDto>> {
    return this.reads.listInOrganization(owner, organizationId, inboxItemsOf(organizationId, query));
  }

  async summary(owner: OwnerPrincipal, organizationId: string): Promise<InboxSummaryDto> {
    const [summary] = await this.reads.inOrganization(owner, organizationId, inboxSummary(organizationId));
    return summary!;
  }

  async read(owner: OwnerPrincipal, organizationId: string, id: string): Promise<InboxItemDto> {
    const [item] = await this.reads.inOrganization(owner, organizationId, inboxItem(organizationId, id));
    if (!item) throw new ApiError(InboxErrors.notFound);
    return item;
  }

  respond(
    owner: OwnerPrincipal,
    organizationId: string,
    { id, response }: { readonly id: string; readonly response: string },
    request: IdempotentRequest,
  ): Promise<InboxItemDto> {
    return this.once(owner, organizationId, { request, details: { response } }, (tx) =>
      this.closing.respond(tx, id, response, () => responderOf(owner)),
    );
  }

  acknowledge(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    request: IdempotentRequest,
  ): Promise<InboxItemDto> {
    return this.once(owner, organizationId, { request, details: {} }, (tx) =>
      this.closing.acknowledge(tx, id, () => responderOf(owner)),
    );
  }

  private once(
    owner: OwnerPrincipal,
    organizationId: string,
    call: { readonly request: IdempotentRequest; readonly details: object },
    work: (tx: Tx) => Promise<InboxItemDto>,
  ): Promise<InboxItemDto> {
    const { subject } = owner;
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(tx, { subject, ...call, organizationOf: () => organizationId }, () => work(tx)),
    );
  }
}

async function responderOf(owner: OwnerPrincipal): Promise<Responder> {
  const by = { kind: 'owner', id: owner.subject, name: owner.name } as const;
  return { actor: owner, by, channel: 'owner', messageId: null, postedAt: null };
}
