import { describe, expect, it } from '@jest/globals';
import { expectedDay, fileFor, keptFrom } from './rates-schedule.ts';

describe('rates', () => {
  it.each([
    ['2026-11-30T14:14:59', '2026-11-27'],
    ['2026-11-30T14:15:00', '2026-11-30'],
    ['2026-11-29T20:00:00', '2026-11-27'],
    ['2026-12-01T09:00:00', '2026-11-30'],
  ])('at %s should be those of %s', (now, day) => {
    expect(expectedDay(now)).toBe(day);
  });

  it.each([
    [null, 'history'],
    ['2026-11-30', undefined],
    ['2026-11-27', 'daily'],
    ['2026-11-26', 'recent'],
    ['2026-09-11', 'recent'],
    ['2026-09-10', 'history'],
    ['1999-01-04', 'history'],
  ])('of which %p is the newest come by %p', (newest, file) => {
    expect(fileFor(newest, '2026-11-30T15:00:00')).toBe(file);
  });

  it('are kept for five years and a month', () => {
    expect(keptFrom('2026-11-30T15:00:00')).toBe('2021-10-30');
  });
});
