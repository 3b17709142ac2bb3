import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { seriesOwned } from './series-owned.ts';

/** That a settled value changed. */
const schema = defineEntity({
  name: 'MetricRestatement',
  tableName: 'metric_restatement',
  properties: {
    ...seriesOwned,
    periodStart: p.text().collation('C').primary(),
    /** The publication that changed it. */
    revision: p.integer().primary(),
    old: p.decimal('string').columnType('numeric').nullable(),
    new: p.decimal('string').columnType('numeric').nullable(),
    at: timestamp(),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricRestatement extends schema.class {}
schema.setClass(MetricRestatement);
