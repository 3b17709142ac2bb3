import { describe, expect, it } from '@jest/globals';
import { pauseMs, retryAfterMs } from './delivery.policy.ts';

const HOUR = 3_600_000;

describe('the pauses behind failed attempts', () => {
  it('are ten, three days together, each off by a fifth at most', () => {
    const pauses = Array.from({ length: 10 }, (_, nth) => pauseMs(nth + 1, 0, 0.5)!);
    expect(pauses.slice(0, 4)).toEqual([5_000, 60_000, 300_000, 1_800_000]);
    expect(pauses.reduce((sum, each) => sum + each) / HOUR).toBeCloseTo(71.6, 1);
    expect([pauseMs(1, 0, 0), pauseMs(1, 0, 1)]).toEqual([4_000, 6_000]);
    expect(pauseMs(11)).toBeUndefined();
  });

  it('are made longer by what the answer asks for, never shorter, to a day at most', () => {
    expect(pauseMs(1, 90_000, 0.5)).toBe(90_000);
    expect(pauseMs(4, 1_000, 0.5)).toBe(1_800_000);
    expect(pauseMs(1, 100 * HOUR, 0.5)).toBe(24 * HOUR);
    expect(pauseMs(11, 1_000)).toBeUndefined();
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['Sun, 01 Mar 2026 09:31:00 GMT', 60_000],
    ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
    ['soon', 0],
    ['-5', 0],
    [undefined, 0],
    [['1', '2'], 0],
  ])('%s is %d ms', (header, expected) => {
    expect(retryAfterMs(header, Date.parse('2026-03-01T09:30:00Z'))).toBe(expected);
  });
});
