/**
 * Guarantees: what a metric is and how its value follows from what was collected, to the last digit; without a clock, without
 * a database.
 * Refuses: sums of what does not add up, zeros that nobody measured, conversions without a rate.
 */
export { type Day, nextPeriod, periodStart, placeOf, plusDays, slotsOf, startOfSlot } from './calendar.ts';
export {
  COVERAGE_REASONS,
  COVERAGE_STATUSES,
  type CoverageReason,
  type CoverageStatus,
  PAUSE_REASONS,
  POINT_REASONS,
  type PauseReason,
  type PointReason,
  type ReadCoverage,
  type Reporting,
} from './coverage.ts';
export {
  type DatasetDefinition,
  datasetOf,
  datasetOfConnector,
  measureNamed,
  measuresOf,
  readAt,
  readOf,
} from './datasets.ts';
export {
  bodyOf,
  catalogHash,
  type DefinedMeasure,
  type DefinitionBody,
  definitionHash,
  isReadAnew,
  timezoneOf,
} from './definition.ts';
export { CONVERSION_POLICY, RateBook, type RateDay, type UsedRate } from './conversion.ts';
export { type CoverageSum, coverageOf, joinCoverage, type Part, reportingOf, statusOf } from './coverage-sum.ts';
export { DayGrid } from './day-grid.ts';
export { type Fact, factOf, missingPart, retainedFrom, type Slot, type Standing } from './facts.ts';
export { type FoldedMeasure, type FoldedPoint, foldPeriod } from './folding.ts';
export { textOf } from './formula.ts';
export { reportingGiven, reportingTogether } from './reporting-sum.ts';
export { countPeriods, dayOf, latestEnd, type Period, periodsOf, type QueryWindow } from './window.ts';
export { providedDecimal, sumOf } from './decimals.ts';
export type { Block, Cut, Measure, Read, SeriesKey } from './measure.ts';
export { BUILTIN_METRICS, metricNamed } from './metrics.ts';
export * from './vocabulary.ts';
