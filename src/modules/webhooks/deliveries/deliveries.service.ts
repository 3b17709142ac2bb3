import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import type { Page } from '../../../kernel/pagination/index.ts';
import { actorColumns } from '../../organizations/index.ts';
import { NOT_FOUND, WebhookErrors } from '../webhook.errors.ts';
import { TEST_EVENT } from '../webhook-events.ts';
import { lockWebhook, webhookById, type WebhookRow } from '../webhooks.queries.ts';
import { deliveriesOf, deliveryById, insertRedelivery } from './deliveries.queries.ts';
import type { DeliveryListQuery, WebhookDeliveryDto } from './delivery.dto.ts';
import { DeliveryRecordingService } from './delivery-recording.service.ts';
import { DeliverySignalsService } from './delivery-signals.service.ts';

interface Place {
  readonly organizationId: string;
  readonly webhookId: string;
}

/** The log of deliveries, and what owners send by hand. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly recording: DeliveryRecordingService,
    private readonly signals: DeliverySignalsService,
  ) {}

  async list(
    owner: OwnerPrincipal,
    { organizationId, webhookId }: Place,
    query: DeliveryListQuery,
  ): Promise<Page<WebhookDeliveryDto>> {
    const [webhook] = await this.reads.inOrganization(owner, organizationId, webhookById(organizationId, webhookId));
    if (!webhook) throw new ApiError(NOT_FOUND);
    return this.reads.listInOrganization(owner, organizationId, deliveriesOf(organizationId, webhookId, query));
  }

  /** Sends a test, once, whatever the status of the webhook. */
  test(owner: OwnerPrincipal, place: Place, request: IdempotentRequest): Promise<WebhookDeliveryDto> {
    return this.once(owner, place, request, {}, async (tx, { id, url, status, sequence, now }) => {
      const subject = { kind: 'webhook', id, label: new URL(url).host };
      const entry = { verb: TEST_EVENT, actor: actorColumns(owner), subject, details: {} };
      const event = { id: newId(), type: TEST_EVENT, timestamp: now, entry };
      return this.recording.record(tx, { id, status, sequence: sequence + 1, now }, event, true);
    });
  }

  redeliver(
    owner: OwnerPrincipal,
    { deliveryId, ...place }: Place & { readonly deliveryId: string },
    request: IdempotentRequest,
  ): Promise<WebhookDeliveryDto> {
    return this.once(owner, place, request, { deliveryId }, async (tx, webhook) => {
      const { organizationId } = tx;
      const [delivery] = await tx.rows(deliveryById(organizationId, webhook.id, deliveryId));
      if (!delivery) throw new ApiError(NOT_FOUND);
      if (webhook.status === 'disabled') throw new ApiError(WebhookErrors.disabled);
      const id = newId();
      await tx.rows(insertRedelivery(organizationId, { id, of: deliveryId, now: webhook.now }));
      tx.afterCommit(() => this.signals.due());
      return id;
    });
  }

  /** Makes a delivery of the locked webhook, once per key. */
  private once(
    owner: OwnerPrincipal,
    { organizationId, webhookId }: Place,
    request: IdempotentRequest,
    details: object,
    make: (tx: Tx, webhook: WebhookRow) => Promise<string>,
  ): Promise<WebhookDeliveryDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details, organizationOf: () => organizationId },
        async () => {
          const [webhook] = await tx.rows(lockWebhook(organizationId, webhookId));
          if (!webhook) throw new ApiError(NOT_FOUND);
          const id = await make(tx, webhook);
          const [delivery] = await tx.rows(deliveryById(organizationId, webhookId, id));
          return delivery!;
        },
      ),
    );
  }
}
