import { defineEntity, p } from '@mikro-orm/core';
import { ENTERED, policies, timestamp } from '../../kernel/database/index.ts';

/**
 * Which organizations have ready work, and when each was served last: a hint that lets a claim, which looks across
 * organizations, find them in the order of fairness. Kept by whoever queues, by the tick and by claims; what it says wrong
 * the tick mends within a second. Without a foreign key: a global table.
 */
const schema = defineEntity({
  name: 'OrganizationDispatch',
  tableName: 'organization_dispatch',
  properties: {
    organizationId: p.uuid().primary(),
    /** Null where nothing is ready. */
    nextReadyAt: timestamp().nullable(),
    lastServedAt: timestamp().defaultRaw(`'-infinity'`),
  },
  indexes: [
    {
      name: 'organization_dispatch_order',
      expression:
        'create index organization_dispatch_order on organization_dispatch (last_served_at, organization_id) where next_ready_at is not null',
    },
  ],
  policies: policies({ app: `organization_id = ${ENTERED}`, dispatch: true }),
  rowLevelSecurity: 'force',
});

export class OrganizationDispatch extends schema.class {}
schema.setClass(OrganizationDispatch);
