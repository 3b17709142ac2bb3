import { defineEntity, p } from '@mikro-orm/core';
import { tenantPolicies } from '../../../kernel/tenancy/index.ts';
import { organizationOwned } from '../../organizations/index.ts';
import { GRAINS } from '../definitions/index.ts';
import { ofSource } from '../sources/source-owned.ts';

/** One measure of a source in one timezone, grain, currency and value of a cut. */
const schema = defineEntity({
  name: 'MetricSeries',
  tableName: 'metric_series',
  properties: {
    ...organizationOwned,
    ...ofSource,
    measure: p.text().collation('C'),
    /** Of the read that yields it. */
    measureVersion: p.integer(),
    timezone: p.text(),
    grain: p.enum(GRAINS).columnType('text'),
    currency: p.text().nullable(),
    /** The value of the measure's cut; null of a total. */
    cut: p.text().collation('C').nullable(),
  },
  indexes: [
    {
      name: 'metric_series_identity',
      expression:
        'create unique index metric_series_identity on metric_series (organization_id, source_id, measure, measure_version, timezone, grain, currency, cut) nulls not distinct',
    },
  ],
  policies: tenantPolicies(),
  rowLevelSecurity: 'force',
});

export class MetricSeries extends schema.class {}
schema.setClass(MetricSeries);
