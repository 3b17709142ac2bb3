import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { MetricCollection } from './metric-collection.entity.ts';
import type { StagedFact } from './staged-fact.ts';

/** What one thing at the provider says, by its id there, until its collection ends; nothing personal. */
const schema = defineEntity({
  name: 'MetricStaged',
  tableName: 'metric_staged',
  properties: {
    collection: () =>
      p
        .manyToOne(MetricCollection)
        .primary()
        .joinColumns('organization_id', 'collection_id')
        .referencedColumnNames('organization_id', 'id')
        .updateRule('no action')
        .deleteRule('no action'),
    organizationId: p.uuid().persist(false),
    collectionId: p.uuid().persist(false),
    itemKey: p.text().collation('C').primary(),
    fact: p.json<StagedFact>(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class MetricStaged extends schema.class {}
schema.setClass(MetricStaged);
