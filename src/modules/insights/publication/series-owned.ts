import { p } from '@mikro-orm/core';
import { MetricSeries } from './metric-series.entity.ts';

/** The first columns of what hangs on a series. */
export const seriesOwned = {
  series: () =>
    p
      .manyToOne(MetricSeries)
      .primary()
      .joinColumns('organization_id', 'series_id')
      .referencedColumnNames('organization_id', 'id')
      .updateRule('no action')
      .deleteRule('no action'),
  organizationId: p.uuid().persist(false),
  seriesId: p.uuid().persist(false),
};
