import type { Day } from './calendar.ts';
import { type CoverageSum, coverageOf, type Part } from './coverage-sum.ts';
import type { Backfill } from './measure.ts';
import type { CoverageReason, PauseReason, ValueReason } from './coverage.ts';
import type { MeasureKind } from './vocabulary.ts';
import { plusDays } from './calendar.ts';

/** What a measure says of a day, or of a period that was read as a whole. */
export interface Fact {
  /** Null exactly where the coverage has no data. */
  readonly value: string | null;
  readonly coverage: CoverageSum;
}

/** A slot of a block. */
export interface Slot {
  readonly value: string | null;
  readonly reason: string | null;
}

/** What is known of a source and a read where nothing was published of a day. */
export interface Standing {
  /** Whether the source can be asked at all. */
  readonly isSupported: boolean;
  readonly pausedFor: PauseReason | null;
  /** Days before it belong to another version, or another timezone; null where there is none before. */
  readonly versionFrom: Day | null;
  /** Days before it are further back than is ever read; null where everything is. */
  readonly retainedFrom: Day | null;
  readonly isRecalculating: boolean;
}

/** The first day that a read goes back to. Gauges cannot be read afterwards. */
export function retainedFrom(backfill: Backfill, today: Day): Day {
  if (backfill === null) return today;
  if ('days' in backfill) return plusDays(today, -backfill.days);
  return Temporal.PlainDate.from(today).subtract({ months: backfill.months }).toString();
}

/** A day of which nothing was published. */
export function missingPart(standing: Standing, day: Day): Part {
  const reason = missingReason(standing, day);
  const provisional = reason === 'collecting' || reason === 'recalculating';
  return { status: 'none', reason, provisional, collectedAt: null, reporting: null };
}

function missingReason(standing: Standing, day: Day): CoverageReason {
  if (!standing.isSupported) return 'unsupported_capability';
  if (standing.pausedFor !== null) return standing.pausedFor;
  if (standing.versionFrom !== null && day < standing.versionFrom) return 'before_version';
  if (standing.retainedFrom !== null && day < standing.retainedFrom) return 'not_retained';
  return standing.isRecalculating ? 'recalculating' : 'collecting';
}

/**
 * What a slot means under the coverage of its day. A flow without a value is zero where the day was read whole, or as far as it
 * goes, unless its provider holds small numbers back. States and distinct counts are never zero unsaid.
 */
export function factOf(
  kind: MeasureKind,
  part: Part,
  { value, reason }: Slot,
  from: Day,
  to: Day,
  /** Of the part, where it is made already: measures of one read then share it. */
  coverage = coverageOf(part, from, to),
): Fact {
  if (part.status === 'none') return { value: null, coverage };
  if (reason !== null) return gap(part, reason as ValueReason, from, to);
  if (value !== null) return { value, coverage };
  const isRead = part.status === 'complete' || part.reason === null || part.reason === 'collecting';
  if (kind === 'flow' && isRead && part.reporting?.thresholded !== true) return { value: '0', coverage };
  return gap(part, part.reason ?? 'missing_value', from, to);
}

function gap(part: Part, reason: CoverageReason, from: Day, to: Day): Fact {
  return { value: null, coverage: coverageOf({ ...part, status: 'none', reason }, from, to) };
}
