import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../kernel/tenancy/index.ts';
import { Organization } from '../organizations/index.ts';
import type { Recalculation } from './insight.state.ts';

/** A definition as it was of one version; older ones stay, because answers name them. */
const schema = defineEntity({
  name: 'MetricDefinition',
  tableName: 'metric_definition',
  properties: {
    organization: () =>
      p.manyToOne(Organization).primary().joinColumn('organization_id').updateRule('no action').deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    key: p.text().collation('C').primary(),
    version: p.integer().primary(),
    /** SHA-256 of all that decides a value. */
    hash: p.text(),
    body: p.json<Record<string, unknown>>(),
    /** Whether it is the newest of its key, and offered. */
    current: p.boolean(),
    recalculation: p.json<Recalculation>(),
  },
  indexes: [
    {
      name: 'metric_definition_current',
      expression:
        'create unique index metric_definition_current on metric_definition (organization_id, key) where current',
    },
  ],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class MetricDefinition extends schema.class {}
schema.setClass(MetricDefinition);
