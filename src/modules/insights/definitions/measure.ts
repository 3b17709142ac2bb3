import type { Dataset, Dimension, Grain, MeasureKind } from './vocabulary.ts';

/** How long ago a read begins with its history; older days are `not_retained`. Of gauges there is no history. */
export type Backfill = { readonly months: number } | { readonly days: number } | null;

/** One way to ask the providers of a dataset, at one grain. */
export interface Read {
  readonly dataset: Dataset;
  /** Unique in the dataset: the report's, with the grain where it is asked at several. */
  readonly key: string;
  /** Of the provider's adapter (`Report.key`). */
  readonly report: string;
  /** Rises, with the report's own, when its values would mean something else. */
  readonly version: number;
  readonly grain: Grain;
  /** Hours after a period's end from which what is collected is final. */
  readonly lagHours: number;
  readonly backfill: Backfill;
}

/** By what a measure is split. */
export interface Cut {
  readonly dimension: Dimension;
  /** Whether its values add up to the total. */
  readonly addsUp: boolean;
}

/** A number per period that a read yields. */
export interface Measure {
  readonly dataset: Dataset;
  /** Unique in the dataset, `<report>.<entry>`; what series are stored under. */
  readonly key: string;
  /** What formulas call it: the key of the total, of which this is a cut; its own key of a total. */
  readonly of: string;
  readonly report: string;
  /** `ReportEntry.measure` of the adapter's answer. */
  readonly entry: string;
  readonly kind: MeasureKind;
  /** Whether each currency has a series of its own. */
  readonly perCurrency: boolean;
  /** Null of a total. */
  readonly cut: Cut | null;
}

/** Which series: one measure of one source in one timezone, grain, currency and value of the cut. */
export interface SeriesKey {
  readonly sourceId: string;
  readonly measure: string;
  /** The version of the read that yielded it. */
  readonly version: number;
  readonly timezone: string;
  readonly grain: Grain;
  /**
   * Null where the measure has none. A series without currency, or without cut value, of a measure that has them holds only
   * reasons, which hold for all its series on that day.
   */
  readonly currency: string | null;
  readonly cut: string | null;
}

/** A month of days, an ISO year of weeks or a year of months of a series, as it is stored. */
export interface Block {
  readonly start: string;
  /** Slot n, counted from 0, is the n-th day, ISO week or month of the block (`placeOf`). */
  readonly values: readonly (string | null)[];
  /** Why a slot has no value; null where it has, or nobody spoke of it. */
  readonly reasons: readonly (string | null)[];
}
