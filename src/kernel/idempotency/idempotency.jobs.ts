import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { statement, Transactions } from '../database/index.ts';
import { Job } from '../jobs/index.ts';

const BATCH = 1_000;

@Injectable()
export class IdempotencyJobs {
  constructor(private readonly transactions: Transactions) {}

  /** Removes keys past their time. */
  @Job('idempotency-keys-expiry', CronExpression.EVERY_MINUTE)
  async removeExpired(signal: AbortSignal): Promise<void> {
    let removed: unknown[];
    do {
      removed = await this.transactions.dispatch((run) =>
        run(
          statement(
            `delete from idempotency_key where (subject, key) in (
               select subject, key from idempotency_key where expires_at <= clock_timestamp()
               order by expires_at limit $1)
             returning 1`,
            BATCH,
          ),
        ),
      );
    } while (removed.length === BATCH && !signal.aborted);
  }
}
