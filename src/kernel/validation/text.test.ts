import { describe, expect, it } from '@jest/globals';
import { codePoints, isTimestamp, normalizeName } from './text.ts';

describe('normalizeName', () => {
  it('trims, collapses and composes', () => {
    expect(normalizeName('  Cafe\u0301   \n Berlin ')).toBe('Café Berlin');
  });
});

describe('codePoints', () => {
  it('counts what a reader sees as one UTF-16 pair once', () => {
    expect(codePoints('a🦊')).toBe(2);
  });
});

describe('isTimestamp', () => {
  it('knows the calendar', () => {
    expect(isTimestamp('2028-02-29T00:00:00Z')).toBe(true);
    expect(isTimestamp('2027-02-29T00:00:00Z')).toBe(false);
  });
});
