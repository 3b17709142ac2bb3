import { describe, expect, it } from '@jest/globals';
import { spansOf } from './log-spans.ts';

describe('spansOf', () => {
  it.each([
    [
      [1, 2, 3],
      [1, 3],
    ],
    [[7], [7, 7]],
    [
      [5, 2, 9, 10, 3],
      [2, 3, 5, 5, 9, 10],
    ],
    [
      [0, 1, 3],
      [0, 1, 3, 3],
    ],
    [[], []],
  ])('makes of %j %j', (sequences, spans) => {
    expect(spansOf(sequences)).toEqual(spans);
  });
});
