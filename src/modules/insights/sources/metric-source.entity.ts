import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { PAUSE_REASONS } from '../definitions/index.ts';
import type { SourceCoverage } from './source-coverage.ts';

/**
 * One verified account, resource, dataset and environment, which stays when its connector is replaced. The connector is a
 * value, because it may go. Its lease says who collects now.
 */
const schema = defineEntity({
  name: 'MetricSource',
  tableName: 'metric_source',
  properties: {
    ...organizationOwned,
    /** The kind of its connector. */
    provider: p.text().collation('C'),
    dataset: p.text().collation('C'),
    environment: p.text().collation('C'),
    accountId: p.text().collation('C'),
    resourceId: p.text().collation('C'),
    /** The connector that it was seen with last. */
    integrationId: p.uuid(),
    connectorKey: p.text(),
    name: p.text(),
    /** Of the account, where the provider has days of its own. */
    timezone: p.text().nullable(),
    currency: p.text().nullable(),
    preferred: p.boolean(),
    /** What it was last collected, or made due, under: account, settings and reporting choices of its connector. */
    stamp: p.text(),
    createdAt: timestamp(),
    leaseToken: p.uuid().nullable(),
    leaseExpiresAt: timestamp().nullable(),
    /** When its next read is due; null where none is. */
    dueAt: timestamp().nullable(),
    backoffUntil: timestamp().nullable(),
    /** Failures in a row. */
    failures: p.integer().default(0),
    /** Refusals in a row, of which the third pauses it. */
    rejections: p.integer().default(0),
    pausedReason: p.enum(PAUSE_REASONS).columnType('text').nullable(),
    /** The day in UTC of which `calls` are counted. */
    callsDay: p.text().nullable(),
    calls: p.integer().default(0),
    /** What is known of it as a whole. */
    coverage: p.json<SourceCoverage>(),
    lastCollectedAt: timestamp().nullable(),
    /** A code of ours, and the provider's status. */
    lastError: p.json<Record<string, unknown>>().nullable(),
  },
  uniques: [
    {
      name: 'metric_source_identity',
      properties: ['organization', 'provider', 'dataset', 'environment', 'accountId', 'resourceId'],
    },
  ],
  indexes: [
    {
      name: 'metric_source_due',
      expression:
        'create index metric_source_due on metric_source (due_at) where due_at is not null and paused_reason is null',
    },
    { name: 'metric_source_of_integration', properties: ['organization', 'integrationId'] },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricSource extends schema.class {}
schema.setClass(MetricSource);
