import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { sweepActions } from '../action-sweep.ts';
import { actionsDue } from './action-expiry.queries.ts';
import { ActionExpiryService } from './action-expiry.service.ts';

@Injectable()
export class ActionExpiryJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly expiry: ActionExpiryService,
  ) {}

  /** Expires what nobody decided, what no executor took, and what was bound to something that changed. */
  @Job('actions-expire', '*/15 * * * * *')
  async expire(signal: AbortSignal): Promise<void> {
    for (const reason of ['undecided', 'untaken'] as const)
      await sweepActions(this.transactions, signal, actionsDue(reason), (found) =>
        this.expiry.expireDue(found, reason),
      );
    await this.expiry.compare(signal);
  }
}
