import { describe, expect, it } from '@jest/globals';
import { countsByDay, hourField, leastDistance, normalizeExpression, wallTimes } from './cron-expression.ts';

const MINUTE_MS = 60_000;

describe('normalizeExpression', () => {
  it.each([
    [' 0  9 * * mon-fri ', '0 9 * * MON-FRI'],
    ['0 9 L * *', '0 9 L * *'],
    ['0 9 * * 1#2', '0 9 * * 1#2'],
  ])('takes %j', (given, normal) => {
    expect(normalizeExpression(given)).toBe(normal);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '@daily',
    '? * * * *',
    '61 * * * *',
    '0 0 30 2 *',
    'a b c d e',
    '* * * * *\0',
  ])('refuses %j', (given) => {
    expect(normalizeExpression(given)).toBeUndefined();
  });
});

describe('hourField', () => {
  it.each([
    ['0 * * * *', 'every'],
    ['0 */1 * * *', 'every'],
    ['0 */2 * * *', 'stepped'],
    ['0 0 * * *', 'fixed'],
    ['0 0-23 * * *', 'fixed'],
    ['0 0-23/2 * * *', 'fixed'],
    ['0 */6,13 * * *', 'fixed'],
  ])('of %j is %s', (expression, field) => {
    expect(hourField(expression)).toBe(field);
  });
});

describe('countsByDay', () => {
  it.each(['*/5 * * * *', '7 3 * * *', '*/20 9-17 * * MON-FRI', '0 0 L * *', '59 23 29 2 *'])('of %j', (expression) => {
    // From the middle of a day to the middle of another, at matches and between them.
    for (const [from, until] of [
      ['2026-02-03T09:20:00Z', '2028-06-02T09:21:00Z'],
      ['2026-02-03T09:20:30Z', '2026-02-03T09:40:00Z'],
      ['2026-02-03T00:00:00Z', '2026-02-04T00:00:00Z'],
    ] as const) {
      const span = [Date.parse(from), Date.parse(until)] as const;
      const counted = [...countsByDay(expression, ...span)].reduce((sum, { count }) => sum + count, 0);
      expect(counted).toBe([...wallTimes(expression, ...span)].length);
    }
  });
});

describe('leastDistance', () => {
  it.each([
    ['* * * * *', 1],
    ['*/5 * * * *', 5],
    ['*/7 * * * *', 4],
    ['0,4 3 * * *', 4],
    ['0 * * * *', 60],
    ['58,0 * * * *', 2],
    ['58,0 0,23 * * *', 2],
    ['58,0 0,23 * * MON,TUE', 2],
    // Never two days in a row.
    ['58,0 0,23 * * MON,WED', 58],
    ['58,0 0,23 1,15 * *', 58],
    // The last day of a month and the first of the next.
    ['58,0 0,23 1,31 * *', 2],
    ['0 0 * * *', 24 * 60],
    ['0 0 1 1 *', Infinity],
  ])('of %j is %d minutes', (expression, minutes) => {
    expect(leastDistance(expression)).toBe(minutes * MINUTE_MS);
  });
});
