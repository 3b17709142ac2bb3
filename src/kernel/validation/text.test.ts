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

  it.each([
    '2026-01-01T00:00:00+23:59',
    '2026-01-01T00:00:00-15:00',
    '9999-12-31T23:59:59-12:00',
    '0001-01-01T00:00:00+01:00',
    '0000-01-01T00:00:00Z',
  ])('refuses %s, which the database could not hold or show', (text) => {
    expect(isTimestamp(text)).toBe(false);
  });

  it.each(['2026-01-01T00:00:00+14:00', '9999-12-31T23:59:59.999999Z', '0001-01-01T00:00:00Z'])('takes %s', (text) => {
    expect(isTimestamp(text)).toBe(true);
  });
});
