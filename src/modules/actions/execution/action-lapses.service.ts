import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { LeaseMetrics } from '../../../kernel/leases/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ACTIONS_BACKEND, ActionEndingService } from '../action-ending.service.ts';
import { ActionErrors } from '../action.errors.ts';
import { ActionSignalsService } from '../action-signals.service.ts';
import { ActionParkingService } from './action-parking.service.ts';
import { LAPSES_GIVEN_BACK } from './execution.policy.ts';
import { giveBack, hasLapsed } from './execution.queries.ts';
import type { FoundAction } from '../action-sweep.ts';

const LOST = { code: 'executor_lost', message: 'Its executor was not heard of any more after it had been sent.' };
const NEVER_SENT = { code: 'executor_lost', message: 'Its executors were lost again and again before they sent it.' };

/** Moves actions whose executor went away: what it did not send waits again, what it sent is never sent again. */
@Injectable()
export class ActionLapsesService {
  private readonly lapsed: Addend;

  constructor(
    private readonly transactions: Transactions,
    private readonly endings: ActionEndingService,
    private readonly parking: ActionParkingService,
    private readonly signals: ActionSignalsService,
    metrics: Metrics,
  ) {
    this.lapsed = metrics.counter(LeaseMetrics.expired, { kind: 'action' });
  }

  /** Moves an action if its lease has lapsed. */
  async settle({ organizationId, id }: FoundAction): Promise<void> {
    const moved = await this.transactions.through(
      activeAccess(organizationId, ActionErrors.notFound, 'ordinary'),
      async (tx) => {
        const held = await this.endings.lockSent(tx, id);
        const [lease] = held ? await tx.rows(hasLapsed(organizationId, id)) : [];
        if (!held || !lease!.lapsed) return false;
        const { sentAt, lapses } = held.action;
        if (sentAt !== null) await this.parking.park(tx, held, LOST);
        else if (lapses < LAPSES_GIVEN_BACK) {
          await tx.rows(giveBack(organizationId, id));
          tx.afterCommit(() => this.signals.approved());
        } else await this.endings.end(tx, held, { move: 'notExecute', error: NEVER_SENT, actor: ACTIONS_BACKEND });
        return true;
      },
    );
    if (moved) this.lapsed.inc();
  }
}
