import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { seriesOwned } from './series-owned.ts';

/**
 * A month of days, an ISO year of weeks or a year of months of a series, visible from one publication to another. Slot n is
 * day, ISO week or month n.
 */
const schema = defineEntity({
  name: 'MetricBlock',
  tableName: 'metric_block',
  properties: {
    ...seriesOwned,
    /** Its first day, as an ISO date. */
    blockStart: p.text().collation('C').primary(),
    fromRevision: p.integer().primary(),
    /** The publication that put another in its place; null while it stands. */
    toRevision: p.integer().nullable(),
    values: p.array().columnType('numeric[]').$type<(string | null)[]>(),
    /** Why a slot has no value, where that is known. */
    reasons: p.array().columnType('text[]').$type<(string | null)[]>(),
  },
  indexes: [
    {
      name: 'metric_block_visible',
      expression:
        'create unique index metric_block_visible on metric_block (organization_id, series_id, block_start) where to_revision is null',
    },
    {
      name: 'metric_block_superseded',
      expression:
        'create index metric_block_superseded on metric_block (organization_id, to_revision) where to_revision is not null',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricBlock extends schema.class {}
schema.setClass(MetricBlock);
