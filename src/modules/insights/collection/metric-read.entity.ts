import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { sourceOwned } from '../sources/source-owned.ts';
import type { ReadProgress } from './read-progress.ts';

/** How far one read of a source has come. */
const schema = defineEntity({
  name: 'MetricRead',
  tableName: 'metric_read',
  properties: {
    ...sourceOwned,
    readKey: p.text().collation('C').primary(),
    version: p.integer(),
    timezone: p.text(),
    dueAt: timestamp(),
    /** With which the running collection goes on. */
    checkpoint: p.json<Record<string, unknown>>().nullable(),
    /** Which days were read when, over all collections. */
    progress: p.json<ReadProgress>(),
  },
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class MetricRead extends schema.class {}
schema.setClass(MetricRead);
