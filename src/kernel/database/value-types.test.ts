import { describe, expect, it } from '@jest/globals';
import { isoTimestamp } from './value-types.ts';

describe('isoTimestamp', () => {
  it.each([
    ['2026-03-01 09:30:00+00', '2026-03-01T09:30:00.000000Z'],
    ['2026-03-01 09:30:00.5+00', '2026-03-01T09:30:00.500000Z'],
    ['2026-03-01 09:30:00.123456+00', '2026-03-01T09:30:00.123456Z'],
    ['2026-03-01 09:30:00.123456+05:30', '2026-03-01T04:00:00.123456Z'],
    ['2026-03-01 09:30:00.1-08', '2026-03-01T17:30:00.100000Z'],
  ])('reads %s as %s', (text, iso) => {
    expect(isoTimestamp(text)).toBe(iso);
  });
});
