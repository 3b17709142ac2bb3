import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../database/index.ts';
import { tenantPolicies } from '../tenancy/index.ts';

/**
 * What happened and is still to be handled, once for each kind of handler that listens. Without a foreign key to the
 * organization: hot calls write it, always behind a row of the activity log that has one, and the kernel knows no module.
 */
const schema = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_event',
  properties: {
    organizationId: p.uuid().primary(),
    /** Which handler it is for; one that this build does not know stays. */
    kind: p.text().primary(),
    /** Of the entry in the activity log. */
    id: p.uuid().primary(),
    payload: p.json<object>(),
    recordedAt: timestamp(),
  },
  indexes: [{ name: 'outbox_event_recorded', properties: ['recordedAt'] }],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OutboxEvent extends schema.class {}
schema.setClass(OutboxEvent);
