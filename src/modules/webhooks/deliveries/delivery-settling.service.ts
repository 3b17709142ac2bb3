import { Injectable } from '@nestjs/common';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { WebhookChangesService } from '../endpoints/webhook-changes.service.ts';
import { WebhookNoticesService } from '../endpoints/webhook-notices.service.ts';
import { NOT_FOUND } from '../webhook.errors.ts';
import { lockWebhook, type WebhookRow } from '../webhooks.queries.ts';
import {
  type AttemptedDelivery,
  type ClaimedDelivery,
  type DueWebhook,
  noteAttempt,
  setHealth,
} from './deliveries.queries.ts';
import { DELIVERIES } from './delivery.policy.ts';

interface Attempted extends DueWebhook {
  readonly leaseToken: string;
}

/** Writes down how an attempt ended, and what it shows of its webhook. */
@Injectable()
export class DeliverySettlingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly changes: WebhookChangesService,
    private readonly notices: WebhookNoticesService,
  ) {}

  async settle(
    { organizationId, webhookId, leaseToken }: Attempted,
    { id, isTest }: ClaimedDelivery,
    outcome: AttemptedDelivery,
  ): Promise<void> {
    await this.transactions.through(standingAccess(organizationId, NOT_FOUND), async (tx) => {
      const [[webhook], [noted]] = await tx.batch([
        lockWebhook(organizationId, webhookId),
        noteAttempt(organizationId, { id, leaseToken }, outcome),
      ]);
      // The lease was another's, the delivery had ended, or the webhook is gone; a test says nothing of events.
      if (!webhook || !noted || isTest) return;
      if (outcome.status === 'delivered') await this.succeeded(tx, webhook);
      else if (webhook.status === 'enabled') await this.failed(tx, webhook, outcome);
    });
  }

  private async succeeded(tx: Tx, { id, now, toldFailing }: WebhookRow): Promise<void> {
    const health = { failingSince: null, failures: 0, toldFailing: false, lastDeliveryAt: now };
    await tx.rows(setHealth(tx.organizationId, id, health));
    if (toldFailing) await this.notices.withdraw(tx, id, 'The webhook takes what is sent to it again.');
  }

  private async failed(tx: Tx, webhook: WebhookRow, { reason }: AttemptedDelivery): Promise<void> {
    const { id, now, lastDeliveryAt } = webhook;
    const failingSince = webhook.failingSince ?? now;
    const failures = webhook.failures + 1;
    const hours = hoursBetween(failingSince, now);
    const toldFailing = webhook.toldFailing || hours >= DELIVERIES.toldAfterHours;
    await tx.rows(setHealth(tx.organizationId, id, { failingSince, failures, toldFailing, lastDeliveryAt }));
    const counted = { ...webhook, failingSince, failures };
    if (reason === 'gone') await this.changes.disable(tx, counted, 'gone');
    else if (failures >= DELIVERIES.failingAttempts && hours >= DELIVERIES.failingDays * 24)
      await this.changes.disable(tx, counted, 'failing');
    else if (toldFailing && !webhook.toldFailing) await this.notices.tell(tx, webhook, 'unanswered');
  }
}

function hoursBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 3_600_000;
}
