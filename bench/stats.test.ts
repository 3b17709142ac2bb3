import { describe, expect, it } from '@jest/globals';
import { judge, median, quantile, summarize } from './stats.ts';

describe('median and quantile', () => {
  it('sort by value and do not touch what they are given', () => {
    const values = [10, 9, 100];
    expect(median(values)).toBe(10);
    expect(values).toEqual([10, 9, 100]);
  });

  it('take the mean of the two in the middle', () => {
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  it('interpolate', () => {
    expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
  });

  it('know no figure of nothing', () => {
    expect(median([])).toBeNaN();
  });
});

describe('summarize', () => {
  it('judges by the ratios of the rounds, not by the ratio of the medians', () => {
    const summary = summarize([
      { value: 1, baseline: 2 },
      { value: 10, baseline: 10 },
      { value: 3, baseline: 4 },
    ]);
    expect(summary).toMatchObject({ value: 3, baseline: 4, ratio: 0.75, spread: [0.5, 1], rounds: 3 });
  });

  it('judges values where there is no baseline', () => {
    expect(summarize([{ value: 2 }, { value: 4 }])).toMatchObject({
      value: 3,
      baseline: undefined,
      ratio: undefined,
      spread: [2, 4],
      rounds: 2,
    });
  });

  it('leaves rounds without a figure out', () => {
    expect(
      summarize([
        { value: Number.NaN, baseline: 1 },
        { value: 1, baseline: 0 },
        { value: 1, baseline: 2 },
      ]).rounds,
    ).toBe(1);
  });
});

describe('judge', () => {
  it('reads bounds in their direction', () => {
    const more = { better: 'higher', floor: 1, goal: 2, stretch: 3 } as const;
    expect([0.9, 1, 2, 3].map((figure) => judge(figure, more))).toEqual(['MISSED', 'floor', 'goal', 'stretch']);
    const less = { better: 'lower', floor: 3, goal: 2, stretch: null } as const;
    expect([3.1, 3, 1].map((figure) => judge(figure, less))).toEqual(['MISSED', 'floor', 'goal']);
  });

  it('does not judge what is not there', () => {
    expect(judge(Number.NaN, { better: 'lower', floor: 1, goal: 1, stretch: 1 })).toBe('not measured');
  });
});
