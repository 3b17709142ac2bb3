import { describe, expect, it } from '@jest/globals';
import { cutText } from './cut-fields.ts';

describe('cutText', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀…'],
    ['a😀😀😀😀😀😀😀😀', 3, 'a😀…'],
    ['', 3, ''],
  ])('%j to %i is %j', (text, max, cut) => {
    expect(cutText(text, max)).toBe(cut);
  });

  it('costs what it keeps', () => {
    const text = 'a\u0301'.repeat(1_000_000);
    const begin = performance.now();
    expect(cutText(text, 10)).toHaveLength(10);
    expect(performance.now() - begin).toBeLessThan(500);
  });
});
