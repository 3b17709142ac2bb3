import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../config/index.ts';
import { CoalescedWork } from '../bus/index.ts';
import { Transactions } from '../database/index.ts';
import { Job, JobRunner } from '../jobs/index.ts';
import { Outbox } from './outbox.ts';
import { forgetEvents } from './outbox.queries.ts';

const BATCH = 1_000;

@Injectable()
export class OutboxJobs {
  private readonly logger = new Logger('Outbox');

  constructor(
    private readonly outbox: Outbox,
    private readonly transactions: Transactions,
    private readonly config: Config,
    runner: JobRunner,
  ) {
    const work = new CoalescedWork(() =>
      runner.run('outbox').catch((error: Error) => this.logger.warn(`goes on with the next tick: ${error.message}`)),
    );
    outbox.onRecorded(() => work.request());
  }

  @Job('outbox', CronExpression.EVERY_SECOND)
  handle(signal: AbortSignal): Promise<void> {
    return this.outbox.handleAll(signal);
  }

  /** Forgets what no release has handled for days. */
  @Job('outbox-forget', CronExpression.EVERY_HOUR)
  async forget(signal: AbortSignal): Promise<void> {
    let forgotten: unknown[];
    do {
      [forgotten] = await this.transactions.dispatchBatch([forgetEvents(this.config.outboxRetentionDays, BATCH)]);
    } while (forgotten.length === BATCH && !signal.aborted);
  }
}
