import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { organizationOwned } from '../organizations/index.ts';
import type { WebhookEvent } from './webhook-events.ts';
import { DISABLED_REASONS, WEBHOOK_STATUSES } from './webhook.state.ts';

/** An owner's address that is told of events, and that approved actions may call. */
const schema = defineEntity({
  name: 'Webhook',
  tableName: 'webhook',
  properties: {
    ...organizationOwned,
    url: p.text(),
    events: p.array().columnType('text[]').$type<WebhookEvent[]>(),
    description: p.text().default(''),
    status: p.enum(WEBHOOK_STATUSES).columnType('text').default('enabled'),
    /** Rises with URL and status: what was approved for an address is sent to no other. */
    revision: p.integer().default(1),
    disabledReason: p.enum(DISABLED_REASONS).columnType('text').nullable(),
    disabledAt: timestamp().nullable(),
    /** Of the newest delivery. */
    sequence: p.bigint('number').default(0),
    /** Of the newest secret. */
    secretGeneration: p.integer().default(1),
    previousSecretExpiresAt: timestamp().nullable(),
    /** Since the first failure behind the last success, and how many there were. */
    failingSince: timestamp().nullable(),
    failures: p.integer().default(0),
    /** Whether a person was told that it fails. */
    toldFailing: p.boolean().default(false),
    lastDeliveryAt: timestamp().nullable(),
    /** Gone from then on; what hangs on it is removed in the background. */
    deletedAt: timestamp().nullable(),
    ...timestamps,
  },
  indexes: [
    {
      name: 'webhook_deleted',
      expression: 'create index webhook_deleted on webhook (deleted_at) where deleted_at is not null',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Webhook extends schema.class {}
schema.setClass(Webhook);
