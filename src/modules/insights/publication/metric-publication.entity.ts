import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { ofSource, organizationKey } from '../sources/source-owned.ts';

/** What made one collection visible. The collection is a value, because it goes sooner. */
const schema = defineEntity({
  name: 'MetricPublication',
  tableName: 'metric_publication',
  properties: {
    ...organizationKey,
    revision: p.integer().primary(),
    ...ofSource,
    collectionId: p.uuid(),
    at: timestamp(),
  },
  indexes: [{ name: 'metric_publication_at', properties: ['organization', 'at'] }],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricPublication extends schema.class {}
schema.setClass(MetricPublication);
