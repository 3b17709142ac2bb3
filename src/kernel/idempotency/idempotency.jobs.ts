import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../database/index.ts';
import { Job } from '../jobs/index.ts';
import { removeExpiredKeys } from './idempotency.queries.ts';

const BATCH = 1_000;

@Injectable()
export class IdempotencyJobs {
  constructor(private readonly transactions: Transactions) {}

  /** Deletes expired keys. */
  @Job('idempotency-keys-expiry', CronExpression.EVERY_MINUTE)
  async removeExpired(signal: AbortSignal): Promise<void> {
    let removed: unknown[];
    do {
      removed = await this.transactions.dispatch((run) => run(removeExpiredKeys(BATCH)));
    } while (removed.length === BATCH && !signal.aborted);
  }
}
