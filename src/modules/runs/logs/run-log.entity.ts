import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { LOG_CATEGORIES, LOG_STATUSES } from '../run.state.ts';

/**
 * A run's log: append-only, one partition a month. `runMonth` is the month in which the run was created, whenever the
 * entry arrives, so that a repeated batch meets the rows of the first. References nothing: an append holds the run's row
 * anyway, and a check for each entry took half the time of storing it.
 */
const schema = defineEntity({
  name: 'RunLog',
  tableName: 'run_log',
  properties: {
    organizationId: p.uuid().primary(),
    runId: p.uuid().primary(),
    sequence: p.integer().primary(),
    runMonth: timestamp().primary(),
    category: p.enum(LOG_CATEGORIES).columnType('text'),
    status: p.enum(LOG_STATUSES).columnType('text'),
    label: p.text(),
    detail: p.text().nullable(),
    occurredAt: timestamp(),
    receivedAt: timestamp().defaultRaw('clock_timestamp()'),
  },
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class RunLog extends schema.class {}
schema.setClass(RunLog);
