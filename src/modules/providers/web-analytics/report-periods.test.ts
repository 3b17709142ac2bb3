import { describe, expect, it } from '@jest/globals';
import { secondsToPacificMidnight } from './analytics-errors.ts';
import { plainDecimal } from './decimal-text.ts';
import { alignedFrom, daysOf, type Grain, PERIODS, windowAt } from './report-periods.ts';

describe('a period of the provider', () => {
  it.each<[Grain, string, string | undefined]>([
    ['day', '20261130', '2026-11-30'],
    ['day', '(other)', undefined],
    ['week', '202653', '2026-12-28'],
    ['week', '202601', '2025-12-29'],
    ['week', '202101', '2021-01-04'],
    ['month', '202602', '2026-02-01'],
    ['month', '2026', undefined],
  ])('of a %s %s begins at %s', (grain, value, day) => expect(PERIODS[grain].startOf(value)).toBe(day));
});

describe('a window', () => {
  it.each<[Grain, string, string, string, string]>([
    ['day', '2026-11-03', '2026-11-10', '2026-11-03', '2026-11-10'],
    ['day', '2026-01-01', '2026-11-10', '2026-01-01', '2026-02-01'],
    ['week', '2026-11-04', '2026-11-10', '2026-11-02', '2026-11-16'],
    ['week', '2026-11-02', '2026-11-09', '2026-11-02', '2026-11-09'],
    ['week', '2026-01-01', '2026-11-10', '2025-12-29', '2026-01-26'],
    ['month', '2026-12-31', '2027-01-01', '2026-12-01', '2027-01-01'],
    ['month', '2026-02-10', '2026-02-11', '2026-02-01', '2026-03-01'],
  ])('of whole %ss from %s to %s is %s to %s', (grain, from, to, first, last) => {
    expect(windowAt(alignedFrom(from, grain), to, grain)).toEqual({ from: first, to: last });
  });

  it('has its days', () => {
    expect(daysOf({ from: '2026-02-27', to: '2026-03-02' })).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  });
});

describe('a figure', () => {
  it.each([
    ['0', '0'],
    ['-0.0', '0'],
    ['007', '7'],
    ['12.50', '12.5'],
    ['9007199254740993', '9007199254740993'],
    ['1.5E-7', '0.00000015'],
    ['-1.25e+3', '-1250'],
    ['1.23456E2', '123.456'],
    ['5E-1', '0.5'],
    ['', undefined],
    ['NaN', undefined],
    ['1,5', undefined],
  ])('%s is %s', (text, plain) => expect(plainDecimal(text)).toBe(plain));
});

it('knows how long a day of the Pacific coast still lasts', () => {
  expect(secondsToPacificMidnight(new Date('2026-11-30T08:00:00Z'))).toBe(86_400);
  expect(secondsToPacificMidnight(new Date('2026-11-30T07:59:30Z'))).toBe(30);
  expect(secondsToPacificMidnight(new Date('2026-07-01T06:00:00Z'))).toBe(3_600);
});
