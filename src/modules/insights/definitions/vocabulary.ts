/** Lengths of periods. Weeks begin on Monday (ISO 8601). */
export const GRAINS = ['day', 'week', 'month'] as const;
export type Grain = (typeof GRAINS)[number];

/**
 * How values of days make the value of a longer period. `flow` adds up; a `gauge` is a state, of which the last counts;
 * `distinct` counts do not add up, so the provider counts them for each period.
 */
export const MEASURE_KINDS = ['flow', 'gauge', 'distinct'] as const;
export type MeasureKind = (typeof MEASURE_KINDS)[number];

/** `ratio`: a quotient of measures, each of which is brought to the period first. */
export const MEASUREMENT_KINDS = [...MEASURE_KINDS, 'ratio'] as const;
export type MeasurementKind = (typeof MEASUREMENT_KINDS)[number];

/** `number`: nobody knows of what. */
export const UNITS = ['count', 'currency', 'number', 'ratio'] as const;
export type Unit = (typeof UNITS)[number];

/** Whose days count: those of the organization, of the account at the provider, or UTC's. */
export const SOURCE_TIMEZONES = ['organization', 'account', 'utc'] as const;
export type SourceTimezone = (typeof SOURCE_TIMEZONES)[number];

/** What one integration counts. */
export const DATASETS = ['payments', 'web', 'documents', 'keys', 'conversations'] as const;
export type Dataset = (typeof DATASETS)[number];

/** By what a measure may be split; one at a time. */
export const DIMENSIONS = ['status', 'channel', 'country', 'key'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const RECALCULATION_STATUSES = ['pending', 'running', 'current'] as const;
export type RecalculationStatus = (typeof RECALCULATION_STATUSES)[number];
export const RECALCULATION_REASONS = ['collection_changed', 'timezone_changed'] as const;
export type RecalculationReason = (typeof RECALCULATION_REASONS)[number];
