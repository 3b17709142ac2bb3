/**
 * Guarantees: each metric is declared once, in a table (`*.metrics.ts`), from which the scrape and docs/operations/metrics.md are
 * made; its labels have the values that the table lists, or values bounded by what the table says; an application has a
 * registry of its own, so that several can live in one process.
 * Refuses: ids, names, subjects and any other data of tenants as a label, and work on a request beyond one addition: a
 * series is looked up once and kept by its user.
 */
export { definedMetrics, defineMetrics, PREFIX } from './metric-row.ts';
export { type Addend, Metrics, type Sample } from './metrics.ts';
export { MetricsModule } from './metrics.module.ts';
