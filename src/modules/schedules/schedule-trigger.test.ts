import { describe, expect, it } from '@jest/globals';
import { instantText, nextSlot, normalizeExpression, slotsAfter, type Trigger } from './schedule-trigger.ts';

const MINUTE_MS = 60_000;
const text = (ms: number) => instantText(new Date(ms).toISOString());

function cron(expression: string, timezone: string): Trigger {
  return { kind: 'cron', expression, timezone };
}

function slotsBetween(trigger: Trigger, after: string, until: string): string[] {
  const slots: string[] = [];
  for (const slot of slotsAfter(trigger, instantText(after))) {
    if (slot > instantText(until)) break;
    slots.push(slot);
  }
  return slots;
}

/** The fields that the reference understands: every value, lists, steps and ranges of numbers. */
function matcher(expression: string): (wallMs: number) => boolean {
  const ranges = [60, 24, 32, 13, 7];
  const [minute, hour, day, month, weekday] = expression.split(' ').map((field, index) => {
    const values = new Set<number>();
    for (const part of field.split(',')) {
      const [range = '', step = '1'] = part.split('/');
      const [from, to] = range === '*' ? [0, ranges[index]! - 1] : range.split('-').map(Number);
      for (let value = from!; value <= (to ?? from!); value += Number(step)) values.add(value);
    }
    return { every: field === '*', values };
  });
  return (wallMs) => {
    const minutes = wallMs / MINUTE_MS;
    // Most minutes of a year are no match already here.
    if (!minute!.values.has(minutes % 60) || !hour!.values.has(Math.floor(minutes / 60) % 24)) return false;
    const wall = new Date(wallMs);
    const dayFits = day!.values.has(wall.getUTCDate());
    const weekdayFits = weekday!.values.has(wall.getUTCDay());
    return (
      month!.values.has(wall.getUTCMonth() + 1) &&
      // As cron has it: where both are given, either will do.
      (day!.every || weekday!.every ? dayFits && weekdayFits : dayFits || weekdayFits)
    );
  };
}

/**
 * Walks a year minute by minute with a clock on the wall: what it shows for the first time and matches is a slot, and so
 * is the minute after a jump over something that matches. It knows of a zone only how far it is from UTC at an instant.
 */
function reference(expression: string, timezone: string, year: number): string[] {
  const matches = matcher(expression);
  const slots: string[] = [];
  let shown = -Infinity;
  let offset = 0;
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += MINUTE_MS) {
    // No zone of these changes but on the half hour.
    if (at % (30 * MINUTE_MS) === 0)
      offset = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).offsetNanoseconds / 1_000_000;
    const wall = at + offset;
    if (wall <= shown) continue;
    let fires = matches(wall);
    if (shown !== -Infinity)
      for (let skipped = shown + MINUTE_MS; skipped < wall; skipped += MINUTE_MS) fires ||= matches(skipped);
    if (fires) slots.push(text(at));
    shown = wall;
  }
  return slots;
}

describe.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'])('cron in %s', (timezone) => {
  it.each([
    '30 2 * * *',
    '0 2 * * *',
    '15 2 * * 0',
    '*/15 * * 3-4,9-11 *',
    '7,37 1-3 * * *',
    '45 1 * * *',
    '0 9 1 * 1',
    '*/20 2 * 3-4,10-11 *',
  ])('%s fires as the clock on the wall says, over whole years', (expression) => {
    for (const year of [2026, 2027]) {
      const expected = reference(expression, timezone, year);
      const slots = slotsBetween(cron(expression, timezone), `${year - 1}-12-31T23:59:59Z`, `${year}-12-31T23:59:59Z`);
      expect(slots).toEqual(expected);
      // From any slot, and from a moment before it, the next is the same as in the walk.
      for (let place = 1; place < expected.length; place += Math.ceil(expected.length / 200)) {
        expect(nextSlot(cron(expression, timezone), expected[place - 1]!)).toBe(expected[place]);
        const justBefore = instantText(Temporal.Instant.from(expected[place]!).subtract({ microseconds: 1 }));
        expect(nextSlot(cron(expression, timezone), justBefore)).toBe(expected[place]);
      }
    }
  });
});

describe('the days on which clocks change', () => {
  it.each([
    // The clock goes from 02:00 to 03:00: half past two is at three.
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00:00Z', ['2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z']],
    // From 03:00 back to 02:00: half past two is the first of the two.
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z']],
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00:00Z', ['2026-03-08T07:00:00Z', '2026-03-09T06:30:00Z']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00:00Z', ['2026-11-01T05:30:00Z', '2026-11-02T06:30:00Z']],
    // By half an hour: from 02:00 to 02:30, and from 02:00 back to 01:30.
    ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T00:00:00Z', ['2026-10-03T15:30:00Z', '2026-10-04T15:15:00Z']],
    ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04T00:00:00Z', ['2026-04-04T14:45:00Z', '2026-04-05T15:15:00Z']],
  ])('%s: %s', (timezone, expression, after, expected) => {
    expect(slotsBetween(cron(expression, timezone), after, expected.at(-1)!)).toEqual(expected.map(instantText));
  });

  it('several times inside one gap are one slot', () => {
    const slots = slotsBetween(cron('*/15 * * * *', 'Europe/Berlin'), '2026-03-29T00:30:00Z', '2026-03-29T01:15:00Z');
    expect(slots).toEqual(['00:45', '01:00', '01:15'].map((time) => instantText(`2026-03-29T${time}:00Z`)));
  });
});

describe('an interval', () => {
  const hourly: Trigger = { kind: 'interval', everyMinutes: 60, timezone: 'Europe/Berlin' };

  it('keeps its phase, to the microsecond, and knows no zone', () => {
    const phase = '2026-03-28T22:10:30.123456Z';
    expect(nextSlot(hourly, phase, phase)).toBe('2026-03-28T23:10:30.123456Z');
    expect(nextSlot(hourly, '2026-03-29T03:00:00.000000Z', phase)).toBe('2026-03-29T03:10:30.123456Z');
    expect(nextSlot(hourly, '2026-03-29T03:10:30.123456Z', phase)).toBe('2026-03-29T04:10:30.123456Z');
    expect(nextSlot(hourly, '2026-03-29T03:10:30.123455Z', phase)).toBe('2026-03-29T03:10:30.123456Z');
  });

  it('has slots before its phase too', () => {
    expect(nextSlot(hourly, '2026-03-01T00:00:00.000000Z', '2026-03-28T22:10:00.000000Z')).toBe(
      '2026-03-01T00:10:00.000000Z',
    );
  });

  it('begins with the instant where it has no phase', () => {
    expect(nextSlot(hourly, '2026-03-01T00:00:00.000001Z')).toBe('2026-03-01T01:00:00.000001Z');
  });
});

describe('once', () => {
  const once: Trigger = { kind: 'once', at: '2026-03-01T09:00:00+01:00' };

  it('fires once', () => {
    expect(nextSlot(once, '2026-03-01T07:59:59.999999Z')).toBe('2026-03-01T08:00:00.000000Z');
    expect(nextSlot(once, '2026-03-01T08:00:00.000000Z')).toBeNull();
  });
});

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
