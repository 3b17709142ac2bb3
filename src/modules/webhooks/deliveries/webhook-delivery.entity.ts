import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { Webhook } from '../webhook.entity.ts';
import { DEAD_REASONS, DELIVERY_STATUSES, type DeliveryAttempt } from '../webhook.state.ts';

const OPEN = `status in ('pending', 'failed')`;

/** One event for one webhook, and the attempts to deliver it. */
const schema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_delivery',
  properties: {
    ...organizationOwned,
    webhook: () =>
      p
        .manyToOne(Webhook)
        .joinColumns('organization_id', 'webhook_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    webhookId: p.uuid().persist(false),
    /** Of the entry in the activity log: the same for all webhooks and attempts. */
    eventId: p.uuid(),
    event: p.text(),
    sequence: p.bigint('number'),
    status: p.enum(DELIVERY_STATUSES).columnType('text').default('pending'),
    reason: p.enum(DEAD_REASONS).columnType('text').nullable(),
    /** The newest twelve. */
    attempts: p.json<readonly DeliveryAttempt[]>().default('[]'),
    attemptCount: p.integer().default(0),
    /** A test is tried once, also while its webhook is disabled. */
    isTest: p.boolean().default(false),
    nextAttemptAt: timestamp().nullable(),
    /** Of the process that sends it now. */
    leaseToken: p.uuid().nullable(),
    leaseExpiresAt: timestamp().nullable(),
    redeliveryOf: p.uuid().nullable(),
    /** What is sent, the same bytes at every attempt. */
    body: p.text(),
    createdAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  uniques: [
    {
      name: 'webhook_delivery_sequence',
      properties: ['organization', 'webhook', 'sequence'],
      where: 'redelivery_of is null',
    },
  ],
  indexes: [
    { name: 'webhook_delivery_by_webhook', properties: ['organization', 'webhook', 'id'] },
    { name: 'webhook_delivery_by_status', properties: ['organization', 'webhook', 'status', 'id'] },
    // What is due, webhook by webhook.
    {
      name: 'webhook_delivery_open',
      expression: `create index webhook_delivery_open on webhook_delivery (organization_id, webhook_id, next_attempt_at, id) where ${OPEN}`,
    },
    {
      name: 'webhook_delivery_leased',
      expression:
        'create index webhook_delivery_leased on webhook_delivery (organization_id, webhook_id) where lease_token is not null',
    },
    { name: 'webhook_delivery_age', properties: ['createdAt'] },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class WebhookDelivery extends schema.class {}
schema.setClass(WebhookDelivery);
