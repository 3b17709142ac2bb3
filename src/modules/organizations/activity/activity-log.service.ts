import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, type Statement, type Tx } from '../../../kernel/database/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { type ActivityEntry, activityEntry } from './activity-entry.queries.ts';
import { type ActivityDto, type ActivityListQuery, toActivity } from './activity.dto.ts';
import { activityOf } from './activity.queries.ts';
import { ActivitySignalsService } from './activity-signals.service.ts';

/** What happened in organizations. */
@Injectable()
export class ActivityLogService {
  constructor(
    private readonly reads: Reads,
    private readonly signals: ActivitySignalsService,
  ) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const page = await this.reads.listInOrganization(owner, organizationId, activityOf(organizationId, query));
    return page.map(toActivity);
  }

  /** Writes an entry in the transaction of the change that it tells of. */
  async record(tx: Tx, entry: Omit<ActivityEntry, 'organizationId'>): Promise<void> {
    await tx.rows(this.entry(tx, entry));
  }

  /** The statement of an entry, for whoever sends it together with the change. */
  entry(tx: Tx, entry: Omit<ActivityEntry, 'organizationId'>): Statement {
    this.tellAfter(tx);
    return activityEntry({ ...entry, organizationId: tx.organizationId });
  }

  /** Tells those who follow the log, after the commit of a transaction that writes entries by a statement of its own. */
  tellAfter(tx: Tx): void {
    tx.afterCommit(() => this.tell(tx.organizationId));
  }

  /** Tells those who follow the log of entries that are committed. */
  tell(organizationId: string): void {
    this.signals.changed(organizationId);
  }
}
