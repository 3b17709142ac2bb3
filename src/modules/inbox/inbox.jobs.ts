import { Injectable, Logger } from '@nestjs/common';
import { Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { Job } from '../../kernel/jobs/index.ts';
import { activeAccess } from '../../kernel/tenancy/index.ts';
import { lockForEnd, TaskBlockersService } from '../tasks/index.ts';
import { InboxErrors } from './inbox-item.errors.ts';
import { BACKEND, InboxItemsService } from './inbox-items.service.ts';
import { expiredItems, type ExpiredItem, isExpired } from './inbox-moves.queries.ts';

/** Items that one statement finds across organizations. */
const SWEEP_LIMIT = 100;

@Injectable()
export class InboxJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly items: InboxItemsService,
    private readonly blockers: TaskBlockersService,
  ) {}

  /** Closes what is past its time, each item in a transaction of its own; a task that waited for it goes on. */
  @Job('inbox-expiry', '*/15 * * * * *')
  async expire(signal: AbortSignal): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const found = await this.transactions.dispatch((run) => run(expiredItems(SWEEP_LIMIT)));
      const fresh = found.filter(({ id }) => !tried.has(id));
      if (fresh.length === 0) return;
      for (const item of fresh) {
        if (signal.aborted) return;
        tried.add(item.id);
        const access = activeAccess(item.organizationId, InboxErrors.notFound);
        await this.transactions.through(access, (tx) => this.expireOne(tx, item)).catch(report(item));
      }
    }
  }

  /** The finder only proposes: another process, or a person, may have closed it meanwhile. */
  private async expireOne(tx: Tx, { id, taskId }: ExpiredItem): Promise<void> {
    const locked = taskId === null ? undefined : await lockForEnd(tx, [taskId]);
    const closed = await this.items.close(tx, isExpired(id), { move: 'expire', by: null, reason: null }, BACKEND);
    if (locked && taskId !== null && closed.length > 0)
      await this.blockers.remove(tx, locked, taskId, { kind: 'handoff', inboxItemId: id });
  }
}

function report({ id }: ExpiredItem): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof ApiError))
      new Logger('Inbox').error(`An item could not expire: ${id}`, (error as Error).stack);
  };
}
