import { type Dimension, type Grain, readAt } from '../definitions/index.ts';
import type { PlannedMeasure, PlannedSelection } from './plan.ts';
import type { StandingSource } from './standing.service.ts';
import type { SeenTimezone, StoredSeries } from './stored-figures.queries.ts';

/** A series of an answer, before its values are read. */
export interface PlannedSeries {
  readonly selection: PlannedSelection;
  readonly source: StandingSource;
  readonly timezone: string;
  readonly currency: string | null;
  readonly split: { readonly dimension: Dimension; readonly value: string } | null;
  /** Values of the cut that are read: those of the split, or those that are added up; null of a total. */
  readonly cuts: readonly (string | null)[];
}

/**
 * The series of an answer: of each selected metric and source one at least, for each timezone in which its days were read, each
 * currency that it has, and each value by which it is split.
 */
export function plannedSeries(
  selections: readonly PlannedSelection[],
  known: readonly StoredSeries[],
  seen: readonly SeenTimezone[],
  grain: Grain,
): readonly PlannedSeries[] {
  const bySource = Map.groupBy(known, ({ sourceId }) => sourceId);
  return selections.flatMap((selection) =>
    selection.sources.flatMap((source) =>
      timezonesOf(selection, source, seen).flatMap((timezone): PlannedSeries[] => {
        const own = (bySource.get(source.id) ?? []).filter(
          (series) =>
            series.timezone === timezone && selection.measures.some((measure) => isOf(series, measure, grain)),
        );
        const { splitBy, only, isSummed } = selection;
        const values = splitBy === null ? [] : (only ?? distinct(own.map(({ cut }) => cut)));
        const splits = values.map((value) => ({ dimension: splitBy!, value }));
        return currenciesOf(selection, source, own, grain).flatMap((currency) =>
          (splits.length > 0 ? splits : [null]).map((split) => ({
            selection,
            source,
            timezone,
            currency,
            split,
            cuts: split ? [split.value] : isSummed ? only! : [null],
          })),
        );
      }),
    ),
  );
}

/** Whether a stored series is one of a measure, at the grain that a query's values are made of. */
export function isOf(series: StoredSeries, { stored, version }: PlannedMeasure, grain: Grain): boolean {
  return series.measure === stored.key && series.version === version && series.grain === readAt(stored, grain).grain;
}

/** Days of an account whose timezone was changed are those of the one before, up to then. */
function timezonesOf(
  { definition: { body } }: PlannedSelection,
  source: StandingSource,
  seen: readonly SeenTimezone[],
): readonly string[] {
  if (body.reportingTimezone !== null) return [body.reportingTimezone];
  const before = seen.filter(({ sourceId }) => sourceId === source.id).map(({ timezone }) => timezone);
  return [...new Set([source.timezone ?? 'UTC', ...before.toSorted()])];
}

function currenciesOf(
  { measures }: PlannedSelection,
  source: StandingSource,
  own: readonly StoredSeries[],
  grain: Grain,
): readonly (string | null)[] {
  const priced = measures.filter(({ stored }) => stored.perCurrency);
  if (priced.length === 0) return [null];
  const ofPriced = own.filter((series) => priced.some((measure) => isOf(series, measure, grain)));
  const currencies = distinct(ofPriced.map(({ currency }) => currency));
  // Amounts without a currency are told as such only where there are no others.
  if (currencies.length > 0) return currencies;
  return [ofPriced.length > 0 ? null : source.currency];
}

function distinct(values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== null))].toSorted();
}
