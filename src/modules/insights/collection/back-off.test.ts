import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.ts';

describe('the rest behind failures', () => {
  it.each([
    [0, null, 60_000],
    [1, null, 120_000],
    [3, null, 480_000],
    [40, null, 21_600_000],
    [0, 120, 120_000],
    [5, 120, 1_920_000],
    [0, 1_000_000, 86_400_000],
  ])('behind %i failures with %p seconds named is at most %i ms', (failures, named, most) => {
    expect(backOffMs(failures, named, () => 1)).toBe(most);
  });

  it('is anything down to what the provider names', () => {
    expect(backOffMs(4, null, () => 0)).toBe(0);
    expect(backOffMs(4, 7, () => 0)).toBe(7_000);
    expect(backOffMs(0, null, () => 0.5)).toBe(30_000);
  });
});
