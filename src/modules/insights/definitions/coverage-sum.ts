import type { Day } from './calendar.ts';
import { COVERAGE_REASONS, type CoverageReason, type CoverageStatus, type Reporting } from './coverage.ts';
import { mergeReporting, type ReportingSum, reportingTold, sumOfReporting } from './reporting-sum.ts';

/** What is known of the coverage of some days, in a form that merges in any order to the same. */
export interface CoverageSum {
  /** Which statuses parts have. */
  readonly isComplete: boolean;
  readonly isPartial: boolean;
  readonly isNone: boolean;
  /** A bit for each reason that parts have, the first reason in the lowest. */
  readonly reasons: number;
  readonly provisional: boolean;
  /** The span of the parts that have data. */
  readonly from: Day | null;
  readonly to: Day | null;
  readonly collectedAt: string | null;
  readonly reporting: ReportingSum | null;
}

/** A day, or a period that was read as a whole, before its values are looked at. */
export interface Part {
  readonly status: CoverageStatus;
  readonly reason: CoverageReason | null;
  readonly provisional: boolean;
  readonly collectedAt: string | null;
  readonly reporting: Reporting | null;
}

const BITS = new Map(COVERAGE_REASONS.map((reason, index) => [reason, 1 << index]));

/** Of no part. */
export const NO_COVERAGE: CoverageSum = {
  isComplete: false,
  isPartial: false,
  isNone: false,
  reasons: 0,
  provisional: false,
  from: null,
  to: null,
  collectedAt: null,
  reporting: null,
};

/** The coverage of one part, which spans these days if it has data. */
export function coverageOf(part: Part, from: Day, to: Day): CoverageSum {
  const { status, reason, provisional } = part;
  const hasData = status !== 'none';
  return {
    isComplete: status === 'complete',
    isPartial: status === 'partial',
    isNone: !hasData,
    reasons: reason === null ? 0 : BITS.get(reason)!,
    provisional,
    from: hasData ? from : null,
    to: hasData ? to : null,
    collectedAt: hasData ? part.collectedAt : null,
    reporting: hasData && part.reporting !== null ? sumOfReporting(part.reporting) : null,
  };
}

/** Of parts that follow each other: days of a period. */
export function mergeCoverage(one: CoverageSum, other: CoverageSum): CoverageSum {
  return {
    isComplete: one.isComplete || other.isComplete,
    isPartial: one.isPartial || other.isPartial,
    isNone: one.isNone || other.isNone,
    reasons: one.reasons | other.reasons,
    provisional: one.provisional || other.provisional,
    from: least(one.from, other.from),
    to: most(one.to, other.to),
    collectedAt: least(one.collectedAt, other.collectedAt),
    reporting: mergeReporting(one.reporting, other.reporting),
  };
}

/** Of what is needed at once: the measures of a formula on one day. One without data leaves the day without. */
export function joinCoverage(one: CoverageSum, other: CoverageSum): CoverageSum {
  const { reasons, provisional, from, to, collectedAt, reporting } = mergeCoverage(one, other);
  const isNone = one.isNone || other.isNone;
  const isPartial = !isNone && (one.isPartial || other.isPartial);
  const isComplete = !isNone && !isPartial && (one.isComplete || other.isComplete);
  const data = isNone
    ? { from: null, to: null, collectedAt: null, reporting: null }
    : { from, to, collectedAt, reporting };
  return { isComplete, isPartial, isNone, reasons, provisional, ...data };
}

/** Adds that a period is not over: it is not complete, whatever was read of it. */
export function unfinished(sum: CoverageSum): CoverageSum {
  return { ...sum, isPartial: sum.isPartial || sum.isComplete, provisional: true };
}

/** Adds a reason, of which nothing has data any more. */
export function withoutData(sum: CoverageSum, reason: CoverageReason): CoverageSum {
  return { ...NO_COVERAGE, isNone: true, reasons: sum.reasons | BITS.get(reason)!, provisional: sum.provisional };
}

export function statusOf({ isComplete, isPartial, isNone }: CoverageSum): CoverageStatus {
  if (isPartial || (isComplete && isNone)) return 'partial';
  return isComplete ? 'complete' : 'none';
}

/** The first reason that is present; of what is only not over yet, that it is being collected. */
export function reasonOf(sum: CoverageSum): CoverageReason | null {
  if (statusOf(sum) === 'complete') return null;
  return COVERAGE_REASONS.find((reason) => (sum.reasons & BITS.get(reason)!) !== 0) ?? 'collecting';
}

/** What a provider said of how it counted; null where it said nothing. */
export function reportingOf({ reporting }: CoverageSum): Reporting | null {
  return reporting === null ? null : reportingTold(reporting);
}

function least<T extends string>(one: T | null, other: T | null): T | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

function most<T extends string>(one: T | null, other: T | null): T | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
