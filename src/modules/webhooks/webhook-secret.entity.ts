import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Webhook } from './webhook.entity.ts';

/** A secret that signs what is sent to a webhook, sealed: the newest, and for a day the one before it. */
const schema = defineEntity({
  name: 'WebhookSecret',
  tableName: 'webhook_secret',
  properties: {
    webhook: () =>
      p
        .manyToOne(Webhook)
        .primary()
        .joinColumns('organization_id', 'webhook_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    webhookId: p.uuid().persist(false),
    generation: p.integer().primary(),
    keyId: p.text(),
    wrappedKey: p.blob().columnType('bytea'),
    sealed: p.blob().columnType('bytea'),
    /** Null for the newest. */
    expiresAt: timestamp().nullable(),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class WebhookSecret extends schema.class {}
schema.setClass(WebhookSecret);
