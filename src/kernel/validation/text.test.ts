import { describe, expect, it } from '@jest/globals';
import {
  codePoints,
  escapeReordering,
  escapeUnseen,
  hasControls,
  isTimestamp,
  isVisible,
  normalizeInstant,
  normalizeName,
} from './text.ts';

describe('normalizeName', () => {
  it('trims, collapses and composes', () => {
    expect(normalizeName('  Cafe\u0301   \n Berlin ', 200)).toBe('Café Berlin');
  });
});

describe('normalizeInstant', () => {
  it.each([
    ['2099-01-01T00:00:00.123456789Z', '2099-01-01T00:00:00.123456Z'],
    ['2099-01-01t00:00:00.1z', '2099-01-01T00:00:00.100000Z'],
    ['2099-01-01T00:00Z', '2099-01-01T00:00:00.000000Z'],
    ['2099-01-01T02:00:00.9999999+02:00', '2099-01-01T00:00:00.999999Z'],
    ['2099-01-01T23:59:00+23:59', '2099-01-01T00:00:00.000000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000000Z'],
    [`2099-01-01T00:00:00.${'9'.repeat(1_000)}Z`, '2099-01-01T00:00:00.999999Z'],
  ])('makes of %s %s', (text, expected) => {
    expect(normalizeInstant(text)).toBe(expected);
  });

  it.each(['2099-01-01T00:00:00.1Z', '2099-01-01T00:00:00+02:00', '2099-02-30T00:00Z', '2099-01-01T24:01Z', 'x', ''])(
    'leaves %j as it is',
    (text) => {
      expect(normalizeInstant(text)).toBe(text);
    },
  );
});

describe('isVisible', () => {
  it.each(['\u200B', ' \u00A0\u3000', '\u2060\uFEFF', '\u202E\u2066', '\u3164\u115F', '\u2800', '\u0007'])(
    'sees nothing in %j',
    (text) => {
      expect(isVisible(text)).toBe(false);
    },
  );

  it.each(['a', '\u200Bа', '👩‍🚀', '\u0301', '漢', '-'])('sees %j', (text) => {
    expect(isVisible(text)).toBe(true);
  });
});

describe('controls', () => {
  it.each(['\u001B[2J', '\u009B2J', 'a\rb', '\u0007', '\u007F', '\u0085'])('are in %j', (text) => {
    expect(hasControls(text)).toBe(true);
  });

  it.each(['a\tb\nc\r\nd', 'שלום می\u200Cخواهم', '👩‍🚀'])('are not in %j', (text) => {
    expect(hasControls(text)).toBe(false);
  });
});

describe('escapes', () => {
  it('show what reorders, and leave scripts and emoji', () => {
    expect(escapeReordering('pay \u202E00.1$ \u2066x\u2069')).toBe(String.raw`pay \u{202e}00.1$ \u{2066}x\u{2069}`);
    const prose = 'שלום می\u200Cخواهم 👩‍🚀\n';
    expect(escapeReordering(prose)).toBe(prose);
  });

  it('show all that is unseen but newlines', () => {
    expect(escapeUnseen('a\u200B\u009B\u{E0041}\u2028\r\n\tß')).toBe(
      'a' + String.raw`\u{200b}\u{9b}\u{e0041}\u{2028}\u{d}` + '\n' + String.raw`\u{9}` + 'ß',
    );
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
