import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, type Tx } from '../../../kernel/database/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { type ActivityEntry, activityEntry } from './activity-entry.queries.ts';
import { type ActivityDto, type ActivityListQuery, toActivity } from './activity.dto.ts';
import { activityOf } from './activity.queries.ts';

/** What happened in organizations. */
@Injectable()
export class ActivityLogService {
  constructor(private readonly reads: Reads) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const page = await this.reads.listInOrganization(owner, organizationId, activityOf(organizationId, query));
    return page.map(toActivity);
  }

  /** Writes an entry in the transaction of the change that it tells of. */
  async record(tx: Tx, entry: Omit<ActivityEntry, 'organizationId'>): Promise<void> {
    await tx.rows(activityEntry({ ...entry, organizationId: tx.organizationId }));
  }
}
