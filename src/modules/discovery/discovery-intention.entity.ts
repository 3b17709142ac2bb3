import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from '../organizations/index.ts';
import { INTENTION_KEYS, INTENTION_KINDS, INTENTION_STATUSES } from './discovery.state.ts';

/** Something that an organization is to find out, by one task after the other until one leaves knowledge. */
const schema = defineEntity({
  name: 'DiscoveryIntention',
  tableName: 'discovery_intention',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    key: p.enum(INTENTION_KEYS).columnType('text').primary(),
    kind: p.enum(INTENTION_KINDS).columnType('text'),
    status: p.enum(INTENTION_STATUSES).columnType('text'),
    /** Tasks that were created for it. */
    attempts: p.integer().default(0),
    /** The last of them. */
    taskId: p.uuid().nullable(),
    /** When the next one is due, of a pending or failed one. */
    nextAttemptAt: timestamp().nullable(),
    /** Nothing more is tried. */
    settled: p.boolean().default(false),
  },
  // What the job looks for every other second, across organizations.
  indexes: [
    {
      name: 'discovery_intention_due',
      expression:
        'create index discovery_intention_due on discovery_intention (next_attempt_at) where next_attempt_at is not null',
    },
    {
      name: 'discovery_intention_at_work',
      expression: `create index discovery_intention_at_work on discovery_intention (organization_id, task_id) where status = 'task_created'`,
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class DiscoveryIntention extends schema.class {}
schema.setClass(DiscoveryIntention);
