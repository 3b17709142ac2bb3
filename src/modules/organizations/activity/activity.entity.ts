import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { Organization } from '../organization.entity.ts';

export const ACTOR_KINDS = ['owner', 'agent', 'runtime', 'system'] as const;

/**
 * What happened in an organization: append-only, one partition a month, so that retention drops a partition. A
 * partitioned key must hold the partition column, hence `at` in the key.
 */
const schema = defineEntity({
  name: 'Activity',
  tableName: 'activity',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    at: timestamp().primary().defaultRaw('clock_timestamp()'),
    id: p.uuid().primary(),
    actorKind: p.enum(ACTOR_KINDS).columnType('text'),
    actorId: p.text(),
    actorName: p.text(),
    verb: p.text(),
    subjectKind: p.text(),
    subjectId: p.text(),
    subjectLabel: p.text(),
    details: p.json<Record<string, unknown>>(),
    /** The transaction that wrote the entry, behind the number of its cluster. */
    writtenIn: p.bigint('number').defaultRaw('activity_transaction()'),
  },
  indexes: [{ name: 'activity_by_transaction', properties: ['organization', 'writtenIn'] }],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class Activity extends schema.class {}
schema.setClass(Activity);
