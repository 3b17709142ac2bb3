import { expect, it } from '@jest/globals';
import { secondsToNextLook } from './settle.policy.ts';

it('looks at 0 s, 30 s, 2 min and 10 min', () => {
  expect([0, 1, 2, 3, 4].map(secondsToNextLook)).toEqual([30, 90, 480, null, null]);
});
