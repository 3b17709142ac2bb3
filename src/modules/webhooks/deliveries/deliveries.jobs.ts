import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Config } from '../../../config/index.ts';
import { CoalescedWork } from '../../../kernel/bus/index.ts';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { Job, JobRunner } from '../../../kernel/jobs/index.ts';
import { removeOldDeliveries, removeOrphans, removeWebhooks } from './deliveries.queries.ts';
import { DeliverySendingService } from './delivery-sending.service.ts';
import { DeliverySignalsService } from './delivery-signals.service.ts';

const BATCH = 1_000;

@Injectable()
export class DeliveriesJobs {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly transactions: Transactions,
    private readonly sending: DeliverySendingService,
    private readonly config: Config,
    signals: DeliverySignalsService,
    runner: JobRunner,
  ) {
    const work = new CoalescedWork(() =>
      runner
        .run('webhook-deliveries')
        .catch((error: Error) => this.logger.warn(`goes on with the next tick: ${error.message}`)),
    );
    signals.onDue(() => work.request());
    if (config.role !== 'api') sending.onPlace(() => work.request());
  }

  @Job('webhook-deliveries', CronExpression.EVERY_SECOND)
  send(signal: AbortSignal): Promise<void> {
    return this.sending.sendDue(signal);
  }

  /** Removes old deliveries, and what deleted webhooks leave. */
  @Job('webhook-retention', CronExpression.EVERY_HOUR)
  async removeOld(signal: AbortSignal): Promise<void> {
    await this.untilDone(removeOldDeliveries(this.config.deliveryRetentionDays, BATCH), signal);
    await this.untilDone(removeOrphans(BATCH), signal);
    await this.untilDone(removeWebhooks(BATCH), signal);
  }

  private async untilDone(removal: Statement, signal: AbortSignal): Promise<void> {
    let removed: unknown[];
    do {
      [removed] = await this.transactions.dispatchBatch([removal]);
    } while (removed.length === BATCH && !signal.aborted);
  }
}
