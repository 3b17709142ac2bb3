import { expect, it } from '@jest/globals';
import { CallRate } from './call-rate.ts';

it('permits so many in a minute, of each tool and execution', () => {
  const rate = new CallRate(2);
  expect([rate.take('a', 0), rate.take('a', 1)].map(({ isPermitted }) => isPermitted)).toEqual([true, true]);
  expect(rate.take('a', 20_000)).toEqual({ isPermitted: false, isFirstRefused: true, retryAfterSeconds: 40 });
  expect(rate.take('a', 59_999)).toEqual({ isPermitted: false, isFirstRefused: false, retryAfterSeconds: 1 });
  expect(rate.take('b', 59_999).isPermitted).toBe(true);
  expect(rate.take('a', 60_000).isPermitted).toBe(true);
});
