import { describe, expect, it } from '@jest/globals';
import { rangeOf } from './byte-range.ts';

describe('rangeOf', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-9', 0, 9],
    ['bytes=3-', 3, 9],
    ['bytes=9-', 9, 9],
    ['bytes=2-4', 2, 4],
    ['bytes=2-400', 2, 9],
    [`bytes=2-${'9'.repeat(400)}`, 2, 9],
    ['bytes=-1', 9, 9],
    ['bytes=-400', 0, 9],
    [`bytes=-${'9'.repeat(400)}`, 0, 9],
    ['Bytes= 2-4 ', 2, 4],
  ])('%s of ten bytes is %i to %i', (header, start, end) => {
    expect(rangeOf(header, 10)).toEqual({ start, end });
  });

  it.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=4-2',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes=1.5-2',
    'bytes=--1',
    'bytes=0-1,4-5',
    'bytes=20-,30-',
    'lines=0-1',
    '0-1',
  ])('%s asks for the whole', (header) => {
    expect(rangeOf(header, 10)).toBe('whole');
  });

  it.each(['bytes=10-', 'bytes=10-20', `bytes=${'9'.repeat(400)}-`, 'bytes=-0'])(
    '%s of ten bytes cannot be had',
    (header) => {
      expect(rangeOf(header, 10)).toBe('unsatisfiable');
    },
  );

  it('of nothing has no part but the end, which is all of it', () => {
    expect(['bytes=0-', 'bytes=-0', 'bytes=-5'].map((header) => rangeOf(header, 0))).toEqual([
      'unsatisfiable',
      'unsatisfiable',
      'whole',
    ]);
  });
});
