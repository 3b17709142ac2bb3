import { defineEntity, p } from '@mikro-orm/core';
import { timestamp, timestamps } from '../../kernel/database/index.ts';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from '../organizations/index.ts';
import { NAMESPACES } from './durability.state.ts';

/** What an execution wants to find again after a crash. */
const schema = defineEntity({
  name: 'DurabilityRow',
  tableName: 'durability_row',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    namespace: p.enum(NAMESPACES).columnType('text').primary(),
    /** `<id>` or `<id>.<name>`; compared byte by byte, as lists are ordered. */
    key: p.text().collation('C').primary(),
    kind: p.text(),
    version: p.integer(),
    payload: p.json<object>(),
    sourceRunId: p.uuid().nullable(),
    expiresAt: timestamp().nullable(),
    /** Gone from then on, and without its payload: the row stays for a while to remember its version. */
    deletedAt: timestamp().nullable(),
    ...timestamps,
  },
  indexes: [
    // What lists walk, past the keys that only remember their version.
    {
      name: 'durability_row_standing',
      expression:
        'create index durability_row_standing on durability_row (organization_id, namespace, key) where deleted_at is null',
    },
    {
      name: 'durability_row_deleted',
      expression: 'create index durability_row_deleted on durability_row (deleted_at) where deleted_at is not null',
    },
    {
      name: 'durability_row_expires',
      expression: 'create index durability_row_expires on durability_row (expires_at) where expires_at is not null',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class DurabilityRow extends schema.class {}
schema.setClass(DurabilityRow);
