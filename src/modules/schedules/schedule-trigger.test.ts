import { describe, expect, it } from '@jest/globals';
import { instantText, nextSlot, slotsAfter, type Trigger } from './schedule-trigger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
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
 * Walks from an instant to another minute by minute with a clock on the wall. Fixed hours fire when a minute that matches
 * is shown for the first time, or after a jump over something that matches. A wildcard fires whenever a minute that
 * matches is shown; after a jump a clock that was not changed is read too, for as long as the jump was, as it is after a
 * step back that breaks an hour of an expression that wants every hour. It knows of a zone only how far it is from UTC.
 */
function reference(expression: string, timezone: string, { from, until }: Span): string[] {
  const matches = matcher(expression);
  const hours = expression.split(' ')[1]!;
  const slots: string[] = [];
  let shown = -Infinity;
  let [offset, jump, changedAt] = [offsetAt(timezone, from), 0, -Infinity];
  for (let at = from; at < until; at += MINUTE_MS) {
    // No zone of these changes but on the half hour.
    const now = at % (30 * MINUTE_MS) === 0 ? offsetAt(timezone, at) : offset;
    if (now !== offset) [offset, jump, changedAt] = [now, now - offset, at];
    const wall = at + offset;
    if (hours.startsWith('*')) {
      const settles = at < changedAt + Math.abs(jump);
      const asBefore = jump > 0 || (hours === '*' && jump % (60 * MINUTE_MS) !== 0);
      if (matches(wall) || (settles && asBefore && matches(wall - jump))) slots.push(text(at));
    } else if (wall > shown) {
      let fires = matches(wall);
      if (at > from)
        for (let skipped = shown + MINUTE_MS; skipped < wall; skipped += MINUTE_MS) fires ||= matches(skipped);
      if (fires) slots.push(text(at));
    }
    shown = Math.max(shown, wall);
  }
  return slots;
}

interface Span {
  readonly from: number;
  readonly until: number;
}

function offsetAt(timezone: string, at: number): number {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone).offsetNanoseconds / 1_000_000;
}

/** Three days before and after each hour in which a zone changed its clock; in a zone that never does, a first week. */
function spansOf(timezone: string, year: number): Span[] {
  const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
  const changes: number[] = [];
  for (let at = start; at < end; at += 60 * MINUTE_MS)
    if (offsetAt(timezone, at) !== offsetAt(timezone, at + 60 * MINUTE_MS)) changes.push(at);
  return (changes.length === 0 ? [start + 3 * DAY_MS] : changes).map((at) => ({
    from: at - 3 * DAY_MS,
    until: at + 3 * DAY_MS,
  }));
}

function compare(expression: string, timezone: string, span: Span): void {
  const expected = reference(expression, timezone, span);
  const trigger = cron(expression, timezone);
  expect(slotsBetween(trigger, text(span.from - 1), text(span.until - 1))).toEqual(expected);
  // From any slot, and from a moment before it, the next is the same as in the walk.
  for (let place = 1; place < expected.length; place += Math.ceil(expected.length / 20)) {
    expect(nextSlot(trigger, expected[place - 1]!)).toBe(expected[place]);
    const justBefore = instantText(Temporal.Instant.from(expected[place]!).subtract({ microseconds: 1 }));
    expect(nextSlot(trigger, justBefore)).toBe(expected[place]);
  }
}

const FIXED = [
  '30 2 * * *',
  '0 2 * * *',
  '15 2 * * 0',
  '7,37 1-3 * * *',
  '45 1 * * *',
  '0 9 1 * 1',
  '*/20 2 * 3-4,10-11 *',
  '0,30 0-23 * * *',
];
const WILDCARD = [
  '*/15 * * 3-4,9-11 *',
  '0 * * * *',
  '30 * * * *',
  '*/5 * * * *',
  '0 */2 * * *',
  '30 */3 * * *',
  '45 */12 * 3-5,9-11 0',
  '10 * 1-7 * *',
];

describe.each([
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'UTC',
  // Its clock is put back for a month and forward again.
  'Africa/Casablanca',
  // By two hours.
  'Antarctica/Troll',
  // At midnight.
  'America/Santiago',
  'Africa/Cairo',
])('cron in %s', (timezone) => {
  it.each([...FIXED, ...WILDCARD])('%s fires as the clock on the wall says, around every change', (expression) => {
    for (const year of [2026, 2027]) for (const span of spansOf(timezone, year)) compare(expression, timezone, span);
  });

  it.each(['0 * * * *', '15 * * * *', '45 */1 * * *'])('%s never pauses for more than an hour', (expression) => {
    const slots = slotsBetween(cron(expression, timezone), '2026-03-01T00:00:00Z', '2026-11-30T00:00:00Z');
    const pauses = slots.slice(1).map((slot, place) => Date.parse(slot) - Date.parse(slots[place]!));
    expect(Math.max(...pauses)).toBe(60 * MINUTE_MS);
  });
});

describe('a whole year', () => {
  it.each(['30 2 * * *', '0 */2 * * *', '15 2 * * 0', '0 9 1 * 1'])('of %s', (expression) => {
    compare(expression, 'Europe/Berlin', { from: Date.UTC(2026, 0, 1), until: Date.UTC(2027, 0, 1) });
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

  it.each([
    // Every hour that passes, though the clock shows one of them twice, or skips one.
    ['Europe/Berlin', '0 * * * *', '2026-10-24T22:30Z', ['24T23:00', '25T00:00', '25T01:00', '25T02:00']],
    ['Europe/Berlin', '0 * * * *', '2026-03-28T22:30Z', ['28T23:00', '29T00:00', '29T01:00', '29T02:00']],
    ['Europe/Berlin', '30 * * * *', '2026-03-28T23:00Z', ['28T23:30', '29T00:30', '29T01:30', '29T02:30']],
    ['Europe/Berlin', '*/30 * * * *', '2026-10-25T00:00Z', ['25T00:30', '25T01:00', '25T01:30', '25T02:00']],
    // Two o'clock twice, and two o'clock that is three by then; the others stay where they are.
    ['Europe/Berlin', '0 */2 * * *', '2026-10-24T21:00Z', ['24T22:00', '25T00:00', '25T01:00', '25T03:00']],
    ['Europe/Berlin', '0 */2 * * *', '2026-03-28T22:00Z', ['28T23:00', '29T01:00', '29T02:00', '29T04:00']],
    ['Europe/Berlin', '30 */2 * * *', '2026-03-28T23:00Z', ['28T23:30', '29T01:30', '29T02:30', '29T04:30']],
    ['Europe/Berlin', '30 */3 * * *', '2026-10-24T22:00Z', ['24T22:30', '25T02:30', '25T05:30', '25T08:30']],
    ['Europe/Berlin', '30 */3 * * *', '2026-03-28T23:00Z', ['28T23:30', '29T01:30', '29T04:30', '29T07:30']],
    // By half an hour the hour is broken: the old clock ends it, the new one goes on.
    ['Australia/Lord_Howe', '0 * * * *', '2026-10-03T14:00Z', ['03T14:30', '03T15:30', '03T16:00', '03T17:00']],
    ['Australia/Lord_Howe', '0 * * * *', '2026-04-04T13:30Z', ['04T14:00', '04T15:00', '04T15:30', '04T16:30']],
    ['Australia/Lord_Howe', '45 * * * *', '2026-04-04T14:00Z', ['04T14:45', '04T15:15', '04T16:15', '04T17:15']],
    // Ranges and lists of hours are fixed hours.
    ['Europe/Berlin', '0 1-3 * * *', '2026-10-24T22:30Z', ['24T23:00', '25T00:00', '25T02:00', '26T00:00']],
    ['Europe/Berlin', '30 2,4 * * *', '2026-03-28T23:00Z', ['29T01:00', '29T02:30', '30T00:30', '30T02:30']],
    ['Europe/Berlin', '0 0-23 * * *', '2026-10-24T22:30Z', ['24T23:00', '25T00:00', '25T02:00', '25T03:00']],
  ])('%s: %s follows elapsed time where hours are a wildcard', (timezone, expression, after, expected) => {
    const slots = expected.map((day) => instantText(`${after.slice(0, 8)}${day}:00Z`));
    expect(slotsBetween(cron(expression, timezone), after, slots.at(-1)!)).toEqual(slots);
  });

  it.each([
    ['Africa/Cairo', '24 4', '2026-04-23T22:00Z'],
    ['Asia/Beirut', '29 3', '2026-03-28T22:00Z'],
    ['America/Santiago', '6 9', '2026-09-06T04:00Z'],
    ['America/Havana', '8 3', '2026-03-08T05:00Z'],
  ])('midnight and one o’clock of the day that begins at one are the change: %s', (timezone, day, change) => {
    const dayBefore = Temporal.Instant.from(change).subtract({ hours: 24 }).toString();
    const dayAfter = Temporal.Instant.from(change).add({ hours: 24 }).toString();
    for (const time of ['0 0', '0 1', '30 0', '*/10 0', '0,30 0,1', '0 */12', '0 *'])
      expect(slotsBetween(cron(`${time} ${day} *`, timezone), dayBefore, dayAfter)[0]).toBe(
        // What follows elapsed time keeps its minutes.
        instantText(change),
      );
    expect(slotsBetween(cron(`0 0 ${day} *`, timezone), dayBefore, dayAfter)).toEqual([instantText(change)]);
    expect(slotsBetween(cron(`0 1 ${day} *`, timezone), dayBefore, dayAfter)).toEqual([instantText(change)]);
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

describe('the end of time', () => {
  it('is the year 9999 for intervals and 2999 for cron, whose last slot has none behind it', () => {
    const hourly: Trigger = { kind: 'interval', everyMinutes: 60, timezone: 'UTC' };
    expect(nextSlot(hourly, '9999-12-31T22:00:00.000000Z')).toBe('9999-12-31T23:00:00.000000Z');
    expect(nextSlot(hourly, '9999-12-31T23:00:00.000000Z')).toBeNull();
    for (const timezone of ['UTC', 'Europe/Berlin', 'America/New_York']) {
      expect(nextSlot(cron('0 0 1 12 *', timezone), '2998-12-31T00:00:00Z')).toMatch(/^2999-1[12]-/);
      expect(nextSlot(cron('0 0 1 12 *', timezone), '2999-12-31T00:00:00Z')).toBeNull();
      expect(nextSlot(cron('0 * * * *', timezone), '9000-01-01T00:00:00Z')).toBeNull();
    }
  });

  it('is far from a day of a leap year', () => {
    expect(nextSlot(cron('0 0 29 2 *', 'Europe/Berlin'), '2096-03-01T00:00:00Z')).toBe('2104-02-28T23:00:00.000000Z');
  });
});

describe('instantText', () => {
  it.each([
    ['2026-03-01T09:00:00.123456789+01:00', '2026-03-01T08:00:00.123456Z'],
    ['2026-03-01T09:00:00.9999999999999999999z', '2026-03-01T09:00:00.999999Z'],
    ['2026-03-01t09:00:00Z', '2026-03-01T09:00:00.000000Z'],
    ['2026-03-01T09:00Z', '2026-03-01T09:00:00.000000Z'],
  ])('of %s is %s', (given, shown) => {
    expect(instantText(given)).toBe(shown);
  });
});

describe('once', () => {
  const once: Trigger = { kind: 'once', at: '2026-03-01T09:00:00+01:00' };

  it('fires once', () => {
    expect(nextSlot(once, '2026-03-01T07:59:59.999999Z')).toBe('2026-03-01T08:00:00.000000Z');
    expect(nextSlot(once, '2026-03-01T08:00:00.000000Z')).toBeNull();
  });
});
