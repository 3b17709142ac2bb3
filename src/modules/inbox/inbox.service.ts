import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../kernel/auth/index.ts';
import { Reads } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import type { Page } from '../../kernel/pagination/index.ts';
import type { InboxItemDto, InboxListQuery, InboxSummaryDto } from './inbox-item.dto.ts';
import { InboxErrors } from './inbox-item.errors.ts';
import { inboxItem, inboxItemsOf, inboxSummary } from './inbox.queries.ts';

/** What owners do with the inbox. */
@Injectable()
export class InboxService {
  constructor(private readonly reads: Reads) {}

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
}
