import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { datasetOf, measureNamed, readAt } from './datasets.ts';
import type { BuiltinMetric, Calculation } from './metric.ts';
import { measureNamesOf } from './metrics.ts';
import type { Dataset, Dimension, Grain, MeasureKind, MeasurementKind, SourceTimezone, Unit } from './vocabulary.ts';

/**
 * Everything that decides a metric's values, as an organization keeps it of each version (`metric_definition.body`). Names,
 * descriptions and sources are none of it.
 */
export interface DefinitionBody {
  readonly dataset: Dataset;
  readonly key: string;
  readonly unit: Unit;
  readonly currency: boolean;
  readonly measurementKind: MeasurementKind;
  readonly sourceTimezone: SourceTimezone;
  /** Null of `account`: each series says its own. */
  readonly reportingTimezone: string | null;
  readonly calculation: Calculation;
  readonly measures: readonly DefinedMeasure[];
  readonly dimensions: readonly Dimension[];
  readonly grains: readonly Grain[];
}

/** What a formula calls by one name, with the version of the read that yields it. */
export interface DefinedMeasure {
  readonly measure: string;
  readonly version: number;
  readonly kind: MeasureKind;
}

/** A metric as it stands for an organization in this timezone. */
export function bodyOf(metric: BuiltinMetric, organizationTimezone: string): DefinitionBody {
  const { dataset, key, unit, currency, measurementKind, sourceTimezone, calculation, dimensions, grains } = metric;
  const zones = { organization: organizationTimezone, account: null, utc: 'UTC' } as const;
  return {
    dataset,
    key,
    unit,
    currency,
    measurementKind,
    sourceTimezone,
    reportingTimezone: zones[sourceTimezone],
    calculation,
    measures: measureNamesOf(metric).map((name) => {
      const measure = measureNamed(dataset, name)!;
      return { measure: name, version: readAt(measure, 'day').version, kind: measure.kind };
    }),
    dimensions,
    grains,
  };
}

/** SHA-256 of the canonical JSON; with another hash it is another version. */
export function definitionHash(body: DefinitionBody): string {
  return canonicalDigest(body);
}

/** Whether values under one body are read in another way, or of other days, than under the other; a changed formula is not. */
export function isReadAnew(
  was: DefinitionBody,
  is: DefinitionBody,
): 'collection_changed' | 'timezone_changed' | undefined {
  if (was.reportingTimezone !== is.reportingTimezone) return 'timezone_changed';
  const before = new Map(was.measures.map(({ measure, version }) => [measure, version]));
  const isChanged = is.measures.some(({ measure, version }) => before.has(measure) && before.get(measure) !== version);
  return isChanged ? 'collection_changed' : undefined;
}

/** Hash of the whole catalog in a timezone: moves when any definition does. */
export function catalogHash(metrics: readonly BuiltinMetric[], organizationTimezone: string): string {
  return canonicalDigest(metrics.map((metric) => definitionHash(bodyOf(metric, organizationTimezone))));
}

/** The timezone of a source's series. */
export function timezoneOf(dataset: Dataset, organizationTimezone: string, accountTimezone: string | null): string {
  const { sourceTimezone } = datasetOf(dataset);
  if (sourceTimezone === 'utc') return 'UTC';
  return sourceTimezone === 'account' ? (accountTimezone ?? 'UTC') : organizationTimezone;
}
