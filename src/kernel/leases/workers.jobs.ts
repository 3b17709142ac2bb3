import { Injectable } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../database/index.ts';
import { Job } from '../jobs/index.ts';
import { forgetWorkers } from './worker.queries.ts';

const BATCH = 1_000;

@Injectable()
export class WorkersJobs {
  constructor(private readonly transactions: Transactions) {}

  /** Forgets workers that were not seen for a day. */
  @Job('workers-forget', CronExpression.EVERY_HOUR)
  async forget(signal: AbortSignal): Promise<void> {
    let forgotten: unknown[];
    do {
      [forgotten] = await this.transactions.dispatchBatch([forgetWorkers(BATCH)]);
    } while (forgotten.length === BATCH && !signal.aborted);
  }
}
