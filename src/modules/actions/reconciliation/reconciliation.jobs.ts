import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { sweepActions } from '../action-sweep.ts';
import { ActionSettlingService } from './action-settling.service.ts';
import { actionsToSettle } from './reconciliation.queries.ts';

/** Looks what became of ambiguous actions. */
@Injectable()
export class ReconciliationJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly settling: ActionSettlingService,
  ) {}

  @Job('actions-settle', '* * * * * *')
  settle(signal: AbortSignal): Promise<void> {
    return sweepActions(this.transactions, signal, actionsToSettle(), (found) => this.settling.settle(found, signal), {
      atOnce: 8,
    });
  }
}
