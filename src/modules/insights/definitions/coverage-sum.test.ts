import { describe, expect, it } from '@jest/globals';
import {
  type CoverageSum,
  coverageOf,
  joinCoverage,
  mergeCoverage,
  NO_COVERAGE,
  reasonOf,
  reportingOf,
  statusOf,
  unfinished,
} from './coverage-sum.ts';
import { COVERAGE_REASONS, COVERAGE_STATUSES, type Reporting } from './coverage.ts';
import { plusDays } from './calendar.ts';

/** A stream of numbers that is the same in every run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomReporting(random: (below: number) => number): Reporting | null {
  if (random(3) === 0) return null;
  const maybe = (part: object) => (random(2) === 0 ? part : {});
  const day = () => plusDays('2026-01-01', random(40));
  const range = () => {
    const from = day();
    return { from, to: plusDays(from, 1 + random(9)) };
  };
  const truncation = () => ({
    type: ['events', 'users'][random(2)]!,
    before: random(2) === 0 ? null : day(),
    ranges: Array.from({ length: random(3) }, range),
  });
  return {
    ...maybe({ timezone: ['UTC', 'Asia/Tokyo'][random(2)] }),
    ...maybe({ accountTimezone: 'UTC' }),
    ...maybe({ lagHours: random(50) }),
    ...maybe({ computedAt: `2026-03-0${1 + random(9)}T00:00:00.000Z` }),
    ...maybe({ cached: random(2) === 0 }),
    ...maybe({ thresholded: random(2) === 0 }),
    ...maybe({ dataLossFromOtherRow: random(2) === 0 }),
    ...maybe({ approximateDistinct: random(2) === 0 }),
    ...maybe({
      attribution: { model: ['first', 'last'][random(2)], windows: ['30d'], reportTime: null, conversionEvent: null },
    }),
    ...maybe({ sampling: [{ read: String(random(99)), population: `${random(99)}000000000000000001` }] }),
    ...maybe({ eventRetentionMonths: 2 + random(12) }),
    ...maybe({ userRetentionMonths: 2 + random(12) }),
    ...maybe({ truncation: Array.from({ length: random(3) }, truncation) }),
  };
}

function randomCoverage(random: (below: number) => number): CoverageSum {
  const from = plusDays('2026-01-01', random(60));
  const status = COVERAGE_STATUSES[random(3)]!;
  const part = {
    status,
    reason: status === 'complete' ? null : COVERAGE_REASONS[random(COVERAGE_REASONS.length)]!,
    provisional: random(2) === 0,
    collectedAt: `2026-03-0${1 + random(9)}T00:00:00.000000Z`,
    reporting: randomReporting(random),
  };
  return coverageOf(part, from, plusDays(from, 1 + random(31)));
}

describe('coverage', () => {
  it.each([
    ['merged', mergeCoverage],
    ['joined', joinCoverage],
  ] as const)('is the same in whatever order it is %s', (_how, both) => {
    const random = randomNumbers(7);
    for (let count = 0; count < 2_000; count += 1) {
      const [one, other, third] = [randomCoverage(random), randomCoverage(random), randomCoverage(random)];
      expect(both(one, other)).toEqual(both(other, one));
      expect(both(both(one, other), third)).toEqual(both(one, both(other, third)));
      expect(reportingOf(both(both(one, other), third))).toEqual(reportingOf(both(third, both(other, one))));
    }
  });

  it('of nothing changes nothing that it is merged with', () => {
    const random = randomNumbers(11);
    for (let count = 0; count < 200; count += 1) {
      const one = randomCoverage(random);
      expect(mergeCoverage(one, NO_COVERAGE)).toEqual(one);
    }
  });

  const part = (status: 'complete' | 'partial' | 'none', reason: (typeof COVERAGE_REASONS)[number] | null = null) =>
    coverageOf({ status, reason, provisional: false, collectedAt: null, reporting: null }, '2026-01-01', '2026-01-02');

  it.each([
    ['complete', null, [part('complete'), part('complete')]],
    ['none', 'not_retained', [part('none', 'collecting'), part('none', 'not_retained')]],
    ['partial', 'collecting', [part('complete'), part('none', 'collecting')]],
    ['partial', 'truncated', [part('partial', 'truncated'), part('partial', 'collecting')]],
    ['partial', 'collecting', [part('partial'), part('complete')]],
    ['partial', 'access_lost', [part('complete'), part('partial', 'collecting'), part('none', 'access_lost')]],
  ] as const)('of days is %s, %s', (status, reason, parts) => {
    const sum = parts.reduce(mergeCoverage);
    expect([statusOf(sum), reasonOf(sum)]).toEqual([status, reason]);
  });

  it('of the measures of a day is none where one has none', () => {
    expect(statusOf(joinCoverage(part('complete'), part('none', 'collecting')))).toBe('none');
    expect(statusOf(joinCoverage(part('complete'), part('partial', 'collecting')))).toBe('partial');
    expect(statusOf(joinCoverage(part('complete'), part('complete')))).toBe('complete');
  });

  it('of a period that is not over is never complete', () => {
    const sum = unfinished(part('complete'));
    expect([statusOf(sum), reasonOf(sum), sum.provisional]).toEqual(['partial', 'collecting', true]);
    expect(statusOf(unfinished(part('none', 'collecting')))).toBe('none');
  });

  it('tells what providers said, without what is empty or differs', () => {
    const said = (reporting: Reporting) =>
      coverageOf(
        { status: 'complete', reason: null, provisional: false, collectedAt: null, reporting },
        '2026-01-01',
        '2026-01-02',
      );
    const both = mergeCoverage(
      said({ timezone: 'UTC', lagHours: 24, sampling: [], truncation: [] }),
      said({ timezone: 'Asia/Tokyo', lagHours: 48, cached: false, sampling: [{ read: '1', population: '2' }] }),
    );
    expect(reportingOf(both)).toEqual({ lagHours: 48, cached: false, sampling: [{ read: '1', population: '2' }] });
    expect(reportingOf(said({ sampling: [] }))).toBeNull();
  });
});
