import type { Day } from './calendar.ts';
import {
  type CoverageSum,
  joinCoverage,
  mergeCoverage,
  NO_COVERAGE,
  reasonOf,
  unfinished,
  withoutData,
} from './coverage-sum.ts';
import type { CoverageReason } from './coverage.ts';
import { decimalText, Exact } from './decimals.ts';
import type { Fact } from './facts.ts';
import { type Evaluated, evaluate, type Fraction, fractionOf, textOf } from './formula.ts';
import type { Formula } from './metric.ts';
import type { MeasureKind } from './vocabulary.ts';
import type { Period } from './window.ts';

/** A measure of a formula: what it says of each day, or, of distinct counts, of each period. */
export interface FoldedMeasure {
  readonly kind: MeasureKind;
  factOn(day: Day): Fact;
  factOf(period: Period): Fact;
}

/** A period's value, before it is written. */
export interface FoldedPoint {
  /** Null where there is none. */
  readonly value: Fraction | null;
  /** Operands of the quotient that the value is; null where the formula is none. */
  readonly numerator: string | null;
  readonly denominator: string | null;
  readonly coverage: CoverageSum;
  readonly reason: CoverageReason | 'zero_denominator' | null;
}

/** A metric over a period: each measure by its own kind, over the days on which all of them have data, then the formula once. */
export function foldPeriod(
  formula: Formula,
  measures: ReadonlyMap<string, FoldedMeasure>,
  period: Period,
  /** Of the period, those that have a length. */
  days: readonly Day[],
  today: Day,
): FoldedPoint {
  const isOver = period.to <= today;
  const { coverage, values } = brought([...measures], period, days, today);
  const known = isOver ? coverage : unfinished(coverage);
  const result = values && evaluate(formula, (name) => values.get(name)!);
  const operands = quotientOf(formula, result);
  const value = result?.[formula.root] ?? null;
  if (value === 'zero_denominator') return { value: null, ...operands, coverage: known, reason: value };
  return { value, ...operands, coverage: known, reason: reasonOf(known) };
}

interface Brought {
  readonly coverage: CoverageSum;
  /** Null where the formula has no value. */
  readonly values: ReadonlyMap<string, Fraction> | null;
}

/** The measures brought to the period. */
function brought(
  measures: readonly (readonly [string, FoldedMeasure])[],
  period: Period,
  days: readonly Day[],
  today: Day,
): Brought {
  const whole = measures.filter(([, { kind }]) => kind === 'distinct');
  const daily = measures.filter(([, { kind }]) => kind !== 'distinct');
  const facts = whole.map(([name, measure]) => [name, measure.factOf(period)] as const);
  const ofWhole = facts.map(([, fact]) => fact.coverage);
  // What the provider counted for whole periods says nothing of a part of one.
  if (whole.length > 0 && period.isClipped) {
    const all = [...ofWhole, ...daily.flatMap(([, measure]) => days.map((day) => measure.factOn(day).coverage))];
    return { coverage: withoutData(all.reduce(mergeCoverage, NO_COVERAGE), 'clipped_period'), values: null };
  }
  const values = new Map<string, Fraction>();
  let coverage = NO_COVERAGE;
  if (daily.length === 0) coverage = allOf(ofWhole);
  else {
    const kept: Day[] = [];
    let isGapped = false;
    for (const day of days) {
      const ofDay = allOf([...ofWhole, ...daily.map(([, measure]) => measure.factOn(day).coverage)]);
      coverage = coverage === NO_COVERAGE ? ofDay : mergeCoverage(coverage, ofDay);
      if (!ofDay.isNone) kept.push(day);
      else if (day <= today) isGapped = true;
    }
    // A count of the whole period and sums of some of its days do not go together.
    if (kept.length === 0 || (isGapped && whole.length > 0)) return { coverage, values: null };
    for (const [name, measure] of daily) values.set(name, overDays(measure, kept));
  }
  if (facts.some(([, { value }]) => value === null)) return { coverage, values: null };
  for (const [name, { value }] of facts) values.set(name, fractionOf(value!));
  return { coverage, values };
}

/** Measures of one read share its coverage, which counts once. */
function allOf(coverages: readonly CoverageSum[]): CoverageSum {
  if (coverages.length === 1) return coverages[0]!;
  return [...new Set(coverages)].reduce(joinCoverage);
}

function overDays(measure: FoldedMeasure, days: readonly Day[]): Fraction {
  if (measure.kind === 'gauge' || days.length === 1) return fractionOf(measure.factOn(days.at(-1)!).value!);
  let sum = new Exact(0);
  for (const day of days) sum = sum.plus(measure.factOn(day).value!);
  return fractionOf(decimalText(sum));
}

/** What a quotient divides, as texts; an operand that cannot be told is null. */
function quotientOf(
  { nodes, root }: Formula,
  values: readonly Evaluated[] | null,
): Pick<FoldedPoint, 'numerator' | 'denominator'> {
  const node = nodes[root]!;
  if (node.kind !== 'divide' || values === null) return { numerator: null, denominator: null };
  const told = (value: Evaluated) => (value === 'zero_denominator' ? null : textOf(value));
  return { numerator: told(values[node.left]!), denominator: told(values[node.right]!) };
}
