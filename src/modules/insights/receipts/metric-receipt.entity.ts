import { defineEntity, p } from '@mikro-orm/core';
import { timestamp } from '../../../kernel/database/index.ts';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';

/** An answer as it was given, byte for byte, and what it stands on. */
const schema = defineEntity({
  name: 'MetricReceipt',
  tableName: 'metric_receipt',
  properties: {
    ...organizationOwned,
    request: p.json<Record<string, unknown>>(),
    /** The RFC 8785 text of the answer's `data`, compressed with gzip. */
    answer: p.blob().columnType('bytea'),
    /** SHA-256 of that text without the digest itself. */
    digest: p.text(),
    publicationRevision: p.integer(),
    definitionsRevision: p.integer(),
    seriesIds: p.array().columnType('uuid[]').$type<string[]>(),
    sourceIds: p.array().columnType('uuid[]').$type<string[]>(),
    /** The first day that was asked for, and the day after the last, as ISO dates. */
    fromDay: p.text().collation('C'),
    toDay: p.text().collation('C'),
    caller: p.json<Record<string, unknown>>(),
    createdAt: timestamp(),
  },
  indexes: [
    { name: 'metric_receipt_age', expression: 'create index metric_receipt_age on metric_receipt (created_at)' },
  ],
  policies: tenantPolicies({ dispatch: true }),
  rowLevelSecurity: 'force',
});

export class MetricReceipt extends schema.class {}
schema.setClass(MetricReceipt);
