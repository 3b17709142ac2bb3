import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { removeOld, wipeExpired } from './oauth-states.queries.ts';

const BATCH = 1_000;

@Injectable()
export class OauthStatesJobs {
  constructor(private readonly transactions: Transactions) {}

  /** Takes the secrets of authorizations that ran out, and forgets those that were over for a day. */
  @Job('oauth-states', CronExpression.EVERY_10_MINUTES)
  async forget(signal: AbortSignal): Promise<void> {
    await this.untilDone(wipeExpired(BATCH), signal);
    await this.untilDone(removeOld(BATCH), signal);
  }

  private async untilDone(removal: Statement, signal: AbortSignal): Promise<void> {
    let removed: unknown[];
    do {
      [removed] = await this.transactions.dispatchBatch([removal]);
    } while (removed.length === BATCH && !signal.aborted);
  }
}
