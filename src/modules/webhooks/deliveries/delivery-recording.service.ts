import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import type { HeardEntry } from '../../organizations/index.ts';
import { WEBHOOKS_KIND } from '../endpoints/webhook-changes.service.ts';
import { eventOf } from '../webhook-events.ts';
import { insertDelivery, lockToldWebhooks, setSequence, type ToldWebhook } from './deliveries.queries.ts';
import { DeliverySignalsService } from './delivery-signals.service.ts';

/** An event as deliveries carry it. */
export interface DeliveredEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly entry: HeardEntry;
}

/** Makes of each event a delivery for every webhook that is told of it. */
@Injectable()
export class DeliveryRecordingService {
  constructor(
    outbox: Outbox,
    private readonly signals: DeliverySignalsService,
  ) {
    outbox.handle(WEBHOOKS_KIND, (tx, { id, payload, recordedAt }) =>
      this.recordAll(tx, id, payload as HeardEntry, recordedAt),
    );
  }

  /** Records a delivery of a locked webhook under its next number; answers its id. */
  async record(tx: Tx, webhook: ToldWebhook, event: DeliveredEvent, isTest = false): Promise<string> {
    const { organizationId } = tx;
    const id = newId();
    // Disabled by the backend lately: it can be sent again later, and is seen until then.
    const isDead = webhook.status === 'disabled' && !isTest;
    await tx.batch([
      insertDelivery(organizationId, {
        id,
        webhookId: webhook.id,
        eventId: event.id,
        event: event.type,
        sequence: webhook.sequence,
        status: isDead ? 'dead' : 'pending',
        reason: isDead ? 'webhook_disabled' : null,
        isTest,
        body: bodyOf(organizationId, webhook.sequence, event),
        now: webhook.now,
      }),
      setSequence(organizationId, webhook.id, webhook.sequence),
    ]);
    if (!isDead) tx.afterCommit(() => this.signals.due());
    return id;
  }

  private async recordAll(tx: Tx, id: string, entry: HeardEntry, timestamp: string): Promise<void> {
    const type = eventOf(entry.verb);
    if (type === undefined) return;
    for (const webhook of await tx.rows(lockToldWebhooks(tx.organizationId, type)))
      await this.record(tx, webhook, { id, type, timestamp, entry });
  }
}

/** Thin on purpose: what is behind the ids is read with a token. */
function bodyOf(organizationId: string, sequence: number, { type, timestamp, entry }: DeliveredEvent): string {
  const { verb, subject, actor, details } = entry;
  return JSON.stringify({ type, timestamp, sequence, data: { organizationId, verb, subject, actor, details } });
}
