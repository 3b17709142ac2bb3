import { describe, expect, it } from '@jest/globals';
import { plusDays } from './calendar.ts';
import { type Part, reasonOf, statusOf } from './coverage-sum.ts';
import { type Fact, factOf, missingPart, retainedFrom, type Slot } from './facts.ts';
import { type FoldedMeasure, foldPeriod } from './folding.ts';
import { textOf } from './formula.ts';
import type { Formula } from './metric.ts';
import type { MeasureKind } from './vocabulary.ts';
import { periodsOf } from './window.ts';

const COMPLETE: Part = {
  status: 'complete',
  reason: null,
  provisional: false,
  collectedAt: '2026-03-05T00:00:00.000000Z',
  reporting: null,
};
const RUNNING: Part = { ...COMPLETE, status: 'partial', provisional: true };
const MISSING: Part = { ...COMPLETE, status: 'none', reason: 'collecting', collectedAt: null };
const FROM = '2026-03-02';
const [WEEK] = periodsOf('week', { from: FROM, to: '2026-03-09' });
const DAYS = Array.from({ length: 7 }, (_, index) => plusDays(FROM, index));
const LATER = '2026-06-01';

type Said = string | null | Part | (Slot & { readonly part?: Part });

/** A measure of which a day says a value, nothing, a part without a value, or all of it. */
function measure(
  kind: MeasureKind,
  said: readonly Said[],
  whole: Slot & { readonly part: Part } = slot(null),
): FoldedMeasure {
  const factFor = (each: Said, day: string): Fact => {
    if (each === null || typeof each === 'string')
      return factOf(kind, COMPLETE, { value: each, reason: null }, day, plusDays(day, 1));
    if ('status' in each) return factOf(kind, each, { value: null, reason: null }, day, plusDays(day, 1));
    return factOf(kind, each.part ?? COMPLETE, each, day, plusDays(day, 1));
  };
  return {
    kind,
    factOn: (day) => factFor(said[DAYS.indexOf(day)] ?? null, day),
    factOf: ({ from, to }) => factOf(kind, whole.part, whole, from, to),
  };
}

function slot(value: string | null, part = COMPLETE) {
  return { value, reason: null, part };
}

/** The same of each day of the week. */
function every(said: Said): readonly Said[] {
  return DAYS.map(() => said);
}

const ONE: Formula = { nodes: [{ kind: 'measure', measure: 'a' }], root: 0 };
const QUOTIENT: Formula = {
  nodes: [
    { kind: 'measure', measure: 'a' },
    { kind: 'measure', measure: 'b' },
    { kind: 'divide', left: 0, right: 1 },
  ],
  root: 2,
};

function folded(
  formula: Formula,
  measures: Readonly<Record<string, FoldedMeasure>>,
  { period = WEEK!, days = DAYS, today = LATER } = {},
) {
  const point = foldPeriod(formula, new Map(Object.entries(measures)), period, days, today);
  const { value, numerator, denominator, coverage, reason } = point;
  return { value: value && textOf(value), numerator, denominator, status: statusOf(coverage), reason };
}

describe('a flow', () => {
  it('adds up, and is zero where a day was read and says nothing', () => {
    const { value, status } = folded(ONE, { a: measure('flow', ['1', '2.5', null, '-0.5', null, null, '10']) });
    expect([value, status]).toEqual(['13', 'complete']);
  });

  it('counts the days that have data, and says that others have none', () => {
    const point = folded(ONE, { a: measure('flow', ['1', MISSING, '2']) });
    expect(point).toMatchObject({ value: '3', status: 'partial', reason: 'collecting' });
  });

  it('has no value where no day has', () => {
    const point = folded(ONE, { a: measure('flow', every(MISSING)) });
    expect(point).toMatchObject({ value: null, status: 'none', reason: 'collecting' });
  });

  it.each(['non_numeric', 'missing_value', 'unit_unverified', 'truncated', 'unsupported_capability'] as const)(
    'is not zero where a value is %s',
    (reason) => {
      const gap = { value: null, reason };
      expect(folded(ONE, { a: measure('flow', ['1', gap]) })).toMatchObject({ value: '1', status: 'partial', reason });
      expect(folded(ONE, { a: measure('flow', every(gap)) })).toMatchObject({
        value: null,
        status: 'none',
        reason,
      });
    },
  );

  it('is zero so far on a day that still runs, but not on one that was cut off', () => {
    const [day] = periodsOf('day', { from: FROM, to: plusDays(FROM, 1) });
    const only = { period: day!, days: [FROM] };
    expect(folded(ONE, { a: measure('flow', [RUNNING]) }, { ...only, today: FROM })).toMatchObject({
      value: '0',
      status: 'partial',
      reason: 'collecting',
    });
    const cut: Part = { ...COMPLETE, status: 'partial', reason: 'truncated' };
    expect(folded(ONE, { a: measure('flow', [cut]) }, only)).toMatchObject({
      value: null,
      status: 'none',
      reason: 'truncated',
    });
    expect(folded(ONE, { a: measure('flow', [{ value: '5', reason: null, part: cut }]) }, only)).toMatchObject({
      value: '5',
      status: 'partial',
      reason: 'truncated',
    });
  });

  it('is not zero where the provider holds small numbers back', () => {
    const thresholded: Part = { ...COMPLETE, reporting: { thresholded: true } };
    expect(folded(ONE, { a: measure('flow', ['1', thresholded]) })).toMatchObject({
      value: '1',
      status: 'partial',
      reason: 'missing_value',
    });
  });

  it('is not complete before the period is over', () => {
    const point = folded(ONE, { a: measure('flow', every('1')) }, { today: '2026-03-08' });
    expect(point).toMatchObject({ value: '7', status: 'partial', reason: 'collecting' });
  });
});

describe('a gauge', () => {
  it('is what the last day with a value says', () => {
    expect(folded(ONE, { a: measure('gauge', ['1', '2', '3', '4', '5', '6', '7']) })).toMatchObject({
      value: '7',
      status: 'complete',
    });
  });

  it('is not zero where a day says nothing, nor complete', () => {
    expect(folded(ONE, { a: measure('gauge', ['1', '2', '3', '4', '5', '6', null]) })).toMatchObject({
      value: '6',
      status: 'partial',
      reason: 'missing_value',
    });
    expect(folded(ONE, { a: measure('gauge', []) })).toMatchObject({
      value: null,
      status: 'none',
      reason: 'missing_value',
    });
  });
});

describe('a distinct count', () => {
  it('is what the provider counted of the whole period', () => {
    expect(folded(ONE, { a: measure('distinct', ['9', '9'], slot('12')) })).toMatchObject({
      value: '12',
      status: 'complete',
    });
  });

  it('is nothing of a period that the window cuts, and never zero unsaid', () => {
    const [clipped] = periodsOf('week', { from: plusDays(FROM, 1), to: '2026-03-09' });
    const cut = folded(ONE, { a: measure('distinct', [], slot('12')) }, { period: clipped! });
    expect(cut).toMatchObject({ value: null, status: 'none', reason: 'clipped_period' });
    expect(folded(ONE, { a: measure('distinct', [], slot(null)) })).toMatchObject({
      value: null,
      status: 'none',
      reason: 'missing_value',
    });
  });
});

describe('a quotient', () => {
  it('divides sums, and is no average of quotients', () => {
    const point = folded(QUOTIENT, { a: measure('flow', ['10', '10']), b: measure('flow', ['1', '9']) });
    expect(point).toMatchObject({ value: '2', numerator: '20', denominator: '10', status: 'complete' });
  });

  it('divides over the days on which both have data', () => {
    const point = folded(QUOTIENT, { a: measure('flow', ['10', '10', '7']), b: measure('flow', ['1', MISSING, '3']) });
    expect(point).toMatchObject({
      value: '4.25',
      numerator: '17',
      denominator: '4',
      status: 'partial',
      reason: 'collecting',
    });
  });

  it('shows its operands where it divides by zero', () => {
    expect(folded(QUOTIENT, { a: measure('flow', ['10']), b: measure('flow', []) })).toEqual({
      value: null,
      numerator: '10',
      denominator: '0',
      status: 'complete',
      reason: 'zero_denominator',
    });
  });

  it('of a sum by a count of the whole period has a value only where no day is missing', () => {
    const sessions = measure('distinct', [], slot('4'));
    const all = folded(QUOTIENT, { a: measure('flow', every('2')), b: sessions });
    expect(all).toMatchObject({ value: '3.5', status: 'complete' });
    const gapped = folded(QUOTIENT, { a: measure('flow', ['2', MISSING]), b: sessions });
    expect(gapped).toMatchObject({ value: null, status: 'partial', reason: 'collecting' });
    const running = folded(
      QUOTIENT,
      {
        a: measure('flow', ['2', '4', RUNNING, MISSING, MISSING, MISSING, MISSING]),
        b: measure('distinct', [], slot('4', RUNNING)),
      },
      { today: plusDays(FROM, 2) },
    );
    expect(running).toMatchObject({ value: '1.5', status: 'partial', reason: 'collecting' });
  });
});

describe('a day of which nothing was published', () => {
  const standing = {
    isSupported: true,
    pausedFor: null,
    versionFrom: null,
    retainedFrom: null,
    isRecalculating: false,
  };
  it.each([
    ['collecting', {}],
    ['recalculating', { isRecalculating: true }],
    ['not_retained', { isRecalculating: true, retainedFrom: '2026-03-02' }],
    ['before_version', { retainedFrom: '2026-03-02', versionFrom: '2026-03-02' }],
    ['access_lost', { versionFrom: '2026-03-02', pausedFor: 'access_lost' }],
    ['configuration_required', { pausedFor: 'configuration_required' }],
    ['unsupported_capability', { pausedFor: 'access_lost', isSupported: false }],
  ] as const)('is %s', (reason, more) => {
    const part = missingPart({ ...standing, ...more }, '2026-03-01');
    expect(part).toMatchObject({
      status: 'none',
      reason,
      provisional: reason === 'collecting' || reason === 'recalculating',
    });
    const fact = factOf('flow', part, { value: null, reason: null }, '2026-03-01', '2026-03-02');
    expect([fact.value, reasonOf(fact.coverage)]).toEqual([null, reason]);
  });

  it('is not retained from where reads go back to', () => {
    expect(retainedFrom({ months: 13 }, '2026-03-31')).toBe('2025-02-28');
    expect(retainedFrom({ days: 90 }, '2026-03-31')).toBe('2025-12-31');
    expect(retainedFrom(null, '2026-03-31')).toBe('2026-03-31');
  });
});
