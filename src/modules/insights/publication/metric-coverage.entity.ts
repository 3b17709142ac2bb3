import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { COVERAGE_REASONS, COVERAGE_STATUSES, type Reporting } from '../definitions/index.ts';
import { sourceOwned } from '../sources/source-owned.ts';

/** How much of a period a read has, visible from one publication to another. */
const schema = defineEntity({
  name: 'MetricCoverage',
  tableName: 'metric_coverage',
  properties: {
    ...sourceOwned,
    /** The read, with its grain where that is not the day. */
    readKey: p.text().collation('C').primary(),
    readVersion: p.integer().primary(),
    timezone: p.text().primary(),
    /** The first day of the period, as an ISO date. */
    periodStart: p.text().collation('C').primary(),
    fromRevision: p.integer().primary(),
    toRevision: p.integer().nullable(),
    status: p.enum(COVERAGE_STATUSES).columnType('text'),
    reason: p.enum(COVERAGE_REASONS).columnType('text').nullable(),
    /** Whether it was read before its figures are known to stay. */
    provisional: p.boolean(),
    collectedAt: timestamp(),
    /** What the provider said of how it counted; null where it says nothing. */
    reporting: p.json<Reporting>().nullable(),
  },
  indexes: [
    {
      name: 'metric_coverage_visible',
      expression:
        'create unique index metric_coverage_visible on metric_coverage (organization_id, source_id, read_key, read_version, timezone, period_start) where to_revision is null',
    },
    {
      name: 'metric_coverage_superseded',
      expression:
        'create index metric_coverage_superseded on metric_coverage (organization_id, to_revision) where to_revision is not null',
    },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricCoverage extends schema.class {}
schema.setClass(MetricCoverage);
