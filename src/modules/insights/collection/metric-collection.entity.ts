import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { COLLECTION_STATUSES } from '../insight.state.ts';
import { ofSource } from '../sources/source-owned.ts';

/** One reading of some days of a source, from its first request to its publication. */
const schema = defineEntity({
  name: 'MetricCollection',
  tableName: 'metric_collection',
  properties: {
    ...organizationOwned,
    ...ofSource,
    readKey: p.text().collation('C'),
    readVersion: p.integer(),
    timezone: p.text(),
    /** What it is for: recent days, older ones once more, or history. */
    purpose: p.text(),
    /** The first day, and the day after the last, as ISO dates. */
    fromDay: p.text().collation('C'),
    toDay: p.text().collation('C'),
    status: p.enum(COLLECTION_STATUSES).columnType('text'),
    calls: p.integer().default(0),
    /** The connector's account, settings and reporting choices as it began; under others it publishes nothing. */
    collectionGeneration: p.text(),
    /** What publications pages told so far: days read whole, and what the provider says of its counting. */
    told: p.json<Record<string, unknown>>(),
    /** The publication that made it visible. */
    revision: p.integer().nullable(),
    error: p.json<Record<string, unknown>>().nullable(),
    startedAt: timestamp(),
    endedAt: timestamp().nullable(),
  },
  indexes: [
    {
      name: 'metric_collection_running',
      expression: `create unique index metric_collection_running on metric_collection (organization_id, source_id) where status = 'running'`,
    },
    {
      name: 'metric_collection_ended',
      expression: 'create index metric_collection_ended on metric_collection (ended_at) where ended_at is not null',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricCollection extends schema.class {}
schema.setClass(MetricCollection);
