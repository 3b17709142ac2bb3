import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../../kernel/database/index.ts';
import { Job } from '../../kernel/jobs/index.ts';
import { purgeExpired } from './durability.queries.ts';

const BATCH = 1_000;

@Injectable()
export class DurabilityJobs {
  constructor(private readonly transactions: Transactions) {}

  @Job('durability-purge', CronExpression.EVERY_HOUR)
  async purgeExpired(signal: AbortSignal): Promise<void> {
    let removed: unknown[] | undefined;
    do [, removed] = await this.transactions.dispatchBatch(purgeExpired(BATCH));
    while (removed!.length === BATCH && !signal.aborted);
  }
}
