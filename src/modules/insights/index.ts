/** Business figures with their provenance: read from providers, published by revision, answered with receipts. */
export { MetricCollection } from './collection/metric-collection.entity.ts';
export { MetricRead } from './collection/metric-read.entity.ts';
export { MetricStaged } from './collection/metric-staged.entity.ts';
export { InsightState } from './insight-state.entity.ts';
export { InsightsModule } from './insights.module.ts';
export { MetricDefinition } from './metric-definition.entity.ts';
export { MetricBlock } from './publication/metric-block.entity.ts';
export { MetricCoverage } from './publication/metric-coverage.entity.ts';
export { MetricPublication } from './publication/metric-publication.entity.ts';
export { MetricRestatement } from './publication/metric-restatement.entity.ts';
export { MetricSeries } from './publication/metric-series.entity.ts';
export { FxRate } from './rates/fx-rate.entity.ts';
export { MetricReceipt } from './receipts/metric-receipt.entity.ts';
export { MetricSource } from './sources/metric-source.entity.ts';
