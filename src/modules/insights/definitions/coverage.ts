export const COVERAGE_STATUSES = ['complete', 'partial', 'none'] as const;
export type CoverageStatus = (typeof COVERAGE_STATUSES)[number];

/** Why something is missing; where several hold, the first of them is told. */
export const COVERAGE_REASONS = [
  'unsupported_capability',
  'access_lost',
  'configuration_required',
  'missing_value',
  'non_numeric',
  'unit_unverified',
  'truncated',
  'clipped_period',
  'before_version',
  'not_retained',
  'recalculating',
  'collecting',
] as const;
export type CoverageReason = (typeof COVERAGE_REASONS)[number];

/** Besides those of days: a period whose denominator is zero, and a day without a reference rate. */
export const POINT_REASONS = [...COVERAGE_REASONS, 'zero_denominator', 'missing_rate'] as const;
export type PointReason = (typeof POINT_REASONS)[number];

/** Reasons of single values, told in the blocks beside them; null where there is a value, or none was expected. */
export const VALUE_REASONS = [
  'unsupported_capability',
  'missing_value',
  'non_numeric',
  'unit_unverified',
  'truncated',
] as const satisfies readonly CoverageReason[];
export type ValueReason = (typeof VALUE_REASONS)[number];

/** For what a source is paused. */
export const PAUSE_REASONS = ['access_lost', 'configuration_required'] as const satisfies readonly CoverageReason[];
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** What a provider says of how it counted; each part only where it says so. */
export interface Reporting {
  readonly timezone?: string;
  readonly accountTimezone?: string;
  /** Hours after its end in which a day's figures still move. */
  readonly lagHours?: number;
  readonly computedAt?: string;
  readonly cached?: boolean;
  readonly attribution?: Attribution;
  readonly approximateDistinct?: boolean;
  readonly thresholded?: boolean;
  readonly dataLossFromOtherRow?: boolean;
  readonly sampling?: readonly Sampling[];
  readonly eventRetentionMonths?: number;
  readonly userRetentionMonths?: number;
  readonly truncation?: readonly Truncation[];
}

export interface Attribution {
  readonly model: string | null;
  readonly windows: readonly string[];
  readonly reportTime: string | null;
  readonly conversionEvent: string | null;
}

/** How many events were read of how many, as exact decimals. */
export interface Sampling {
  readonly read: string;
  readonly population: string;
}

/** What is gone at the provider: everything before a day, or ranges of days. */
export interface Truncation {
  readonly type: string;
  readonly before: string | null;
  readonly ranges: readonly DayRange[];
}

/** Days: the first, and the one after the last. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** What is known of one period of a read, as it is stored with each publication (`metric_coverage`). */
export interface ReadCoverage {
  /** Day, Monday or first of the month, after the read's grain. */
  readonly periodStart: string;
  readonly status: CoverageStatus;
  /** Null of `complete`, and of a `partial` that is only not over yet. */
  readonly reason: CoverageReason | null;
  /** Whether it was collected before its end plus the read's lag. */
  readonly provisional: boolean;
  readonly collectedAt: string;
  readonly reporting: Reporting | null;
}
