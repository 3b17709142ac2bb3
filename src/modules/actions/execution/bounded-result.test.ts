import { expect, it } from '@jest/globals';
import { boundedResult } from './bounded-result.ts';

it('keeps what fits, and says of the rest how large it was', () => {
  expect(boundedResult(null)).toBeNull();
  expect(boundedResult({ a: 1 })).toEqual({ a: 1 });
  const most = { a: 'ä'.repeat((64 * 1024 - 8) / 2) };
  expect(boundedResult(most)).toBe(most);
  expect(boundedResult({ ...most, b: 1 })).toEqual({ truncated: true, bytes: 64 * 1024 + 6 });
});
