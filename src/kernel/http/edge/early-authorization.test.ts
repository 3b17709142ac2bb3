import { describe, expect, it } from '@jest/globals';
import { isBearer } from './early-authorization.ts';

describe('isBearer', () => {
  it.each(['Bearer a', 'bearer brt_a-b.c~d+e/f=='])('takes %s', (header) => {
    expect(isBearer(header)).toBe(true);
  });

  it('takes 8192 characters', () => {
    expect(isBearer(`Bearer ${'a'.repeat(8192)}`)).toBe(true);
    expect(isBearer(`Bearer ${'a'.repeat(8193)}`)).toBe(false);
  });

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer  a',
    'Bearer =',
    'Bearer a=b',
    'Bearer é',
    'Basic YTpi',
    'xBearer a',
  ])('refuses %s', (header) => {
    expect(isBearer(header)).toBe(false);
  });
});
