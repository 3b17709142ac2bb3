import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, type Statement, type Tx, withAfterCommit } from '../../../kernel/database/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { type ActivityEntry, activityEntry, setSubscription } from './activity-entry.queries.ts';
import { type ActivityDto, type ActivityListQuery, toActivity } from './activity.dto.ts';
import { activityOf } from './activity.queries.ts';
import { ActivitySignalsService } from './activity-signals.service.ts';

/** What happened in organizations. */
@Injectable()
export class ActivityLogService {
  constructor(
    private readonly reads: Reads,
    private readonly signals: ActivitySignalsService,
    private readonly outbox: Outbox,
  ) {}

  async list(owner: OwnerPrincipal, organizationId: string, query: ActivityListQuery): Promise<Page<ActivityDto>> {
    const page = await this.reads.listInOrganization(owner, organizationId, activityOf(organizationId, query));
    return page.map(toActivity);
  }

  /** Writes an entry in the transaction of the change that it tells of. */
  async record(tx: Tx, entry: Omit<ActivityEntry, 'organizationId'>): Promise<void> {
    await tx.batch(this.entry(tx, entry));
  }

  /** The statements of an entry, for whoever sends them together with the change. */
  entry(tx: Tx, entry: Omit<ActivityEntry, 'organizationId'>): readonly [Statement, Statement] {
    this.tellAfter(tx);
    const [written, heard] = activityEntry({ ...entry, organizationId: tx.organizationId });
    return [written, this.told(heard)];
  }

  /** Lets an outbox handler hear of entries with these verbs, instead of those before. */
  async subscribe(tx: Tx, kind: string, verbs: readonly string[]): Promise<void> {
    await tx.rows(setSubscription(tx.organizationId, kind, verbs));
  }

  /** A statement that hands entries to those who subscribed to them: its commit wakes the handlers. */
  told(heard: Statement): Statement {
    return withAfterCommit(heard, (rows) => {
      if (rows.length > 0) this.outbox.recorded();
    });
  }

  /** Tells those who follow the log, after the commit of a transaction that writes entries by a statement of its own. */
  tellAfter(tx: Tx): void {
    tx.afterCommit(() => this.signals.changed(tx.organizationId));
  }

  /** Tells those who follow the log, and handlers where somebody subscribed, of entries that are committed. */
  tell(organizationId: string, isHeard: boolean): void {
    this.signals.changed(organizationId);
    if (isHeard) this.outbox.recorded();
  }
}
