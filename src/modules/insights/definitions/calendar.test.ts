import { describe, expect, it } from '@jest/globals';
import { nextPeriod, periodStart, placeOf, plusDays, slotsOf, startOfSlot } from './calendar.ts';
import { DayGrid } from './day-grid.ts';
import { GRAINS } from './vocabulary.ts';
import { countPeriods, dayOf, latestEnd, periodsOf } from './window.ts';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  // Half an hour of summer time, and quarters of an hour.
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kolkata',
  // Midnight is skipped.
  'Africa/Cairo',
  'Asia/Beirut',
  'America/Santiago',
  'America/Havana',
  // A day was skipped in 2011; a time that goes back for Ramadan.
  'Pacific/Apia',
  'Africa/Casablanca',
];
const MINUTE_MS = 60_000;

/** The clocks of a zone, asked for the date that they show at an instant; another implementation than the one that is tested. */
function clocksOf(zone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  return (atMs) => format.format(atMs);
}

/** Whether the clocks first show a day, or a later one, in this minute. */
function beginsAt(start: string, day: string, clocks: (atMs: number) => string): boolean {
  const ms = Date.parse(start);
  return ms % MINUTE_MS === 0 && clocks(ms) >= day && clocks(ms - MINUTE_MS) < day;
}

describe('days of a timezone', () => {
  it.each(ZONES)('begin when the clocks of %s say so, on every day from 2024 to 2027', (zone) => {
    const grid = new DayGrid(zone);
    const clocks = clocksOf(zone);
    let days = 0;
    const wrong: string[] = [];
    for (let day = '2024-01-01'; day < '2028-01-01'; day = plusDays(day, 1)) {
      if (!beginsAt(grid.startOf(day), day, clocks)) wrong.push(`${day} ${grid.startOf(day)}`);
      days += 1;
    }
    expect({ wrong, days }).toEqual({ wrong: [], days: 1_461 });
  });

  it.each([
    ['Pacific/Apia', '2011-12-30'],
    ['Pacific/Kwajalein', '1993-08-21'],
  ])('of %s have none on %s, when the date line moved', (zone, skipped) => {
    const grid = new DayGrid(zone);
    expect(grid.exists(skipped)).toBe(false);
    const around = { from: plusDays(skipped, -2), to: plusDays(skipped, 3) };
    expect(grid.daysOf(around)).toEqual([-2, -1, 1, 2].map((days) => plusDays(skipped, days)));
    expect(beginsAt(grid.startOf(skipped), plusDays(skipped, 1), clocksOf(zone))).toBe(true);
  });

  it('are found by instants on both sides of their beginning', () => {
    for (const zone of ZONES) {
      const grid = new DayGrid(zone);
      const start = grid.startOf('2026-04-24');
      expect(grid.dayAt(start)).toBe('2026-04-24');
      expect(grid.dayAt(Temporal.Instant.from(start).subtract({ seconds: 1 }).toString())).toBe('2026-04-23');
    }
  });
});

describe('periods', () => {
  const window = { from: '2024-01-30', to: '2025-01-30' };

  it('follow each other without gap or overlap, whole but at the ends', () => {
    for (const grain of GRAINS) {
      const periods = periodsOf(grain, window);
      expect(periods).toHaveLength(countPeriods(grain, window));
      expect(periods[0]!.from).toBe(window.from);
      expect(periods.at(-1)!.to).toBe(window.to);
      for (const [index, { from, to, isClipped }] of periods.entries()) {
        if (index > 0) expect(from).toBe(periods[index - 1]!.to);
        expect(to > from).toBe(true);
        expect(isClipped).toBe(periodStart(grain, from) !== from || nextPeriod(grain, from) !== to);
      }
    }
  });

  it('clip one that the window lies within', () => {
    expect(periodsOf('month', { from: '2026-02-10', to: '2026-02-20' })).toEqual([
      { start: '2026-02-01', from: '2026-02-10', to: '2026-02-20', isClipped: true },
    ]);
  });

  it('of weeks are those of ISO 8601 where years begin', () => {
    expect(periodsOf('week', { from: '2026-12-28', to: '2027-01-11' }).map(({ start }) => start)).toEqual([
      '2026-12-28',
      '2027-01-04',
    ]);
  });

  it('have one place in a block each, and each slot one period', () => {
    for (const grain of GRAINS) {
      const places = new Set<string>();
      for (let day = '2018-12-31'; day < '2034-01-01'; day = nextPeriod(grain, day)) {
        const start = periodStart(grain, day);
        const place = placeOf(grain, start);
        expect(startOfSlot(grain, place)).toBe(start);
        expect(place.slot).toBeLessThan(slotsOf(grain, place.blockStart));
        expect(places.size).toBeLessThan(places.add(`${place.blockStart} ${place.slot}`).size);
      }
    }
    expect([slotsOf('week', '2019-12-30'), slotsOf('week', '2021-01-04')]).toEqual([53, 52]);
    expect(placeOf('week', '2027-01-03')).toEqual({ blockStart: '2025-12-29', slot: 52 });
  });
});

describe('days of a window', () => {
  it.each([
    ['2026-03-01', '2026-03-01', '2026-03-01'],
    ['2026-03-01T00:00:00Z', '2026-03-01', '2026-03-01'],
    ['2026-03-01T00:00:00.000-05:00', '2026-03-01', '2026-03-01'],
    ['2026-03-01T23:59', '2026-03-01', '2026-03-02'],
    ['2026-02-28t00:00:01z', '2026-02-28', '2026-03-01'],
    ['2024-12-31T12:00:00+14:00', '2024-12-31', '2025-01-01'],
  ])('are written %s', (text, from, to) => {
    expect([dayOf(text, 'from'), dayOf(text, 'to')]).toEqual([from, to]);
  });

  it.each([
    '',
    'today',
    '2026-02-30',
    '2026-2-3',
    '20260203',
    '2026-13-01',
    '2026-03-01T24:00:00Z',
    '2026-03-01T10:61Z',
    '2026-03-01 10:00',
    '2026-03-01T10:00+25:00',
    '2026-03-01T00:00:00Z[Europe/Berlin]',
    '+002026-03-01',
    '1772323200',
    '2026-W09-1',
  ])('are not written %s', (text) => {
    expect(dayOf(text, 'from')).toBeUndefined();
  });

  it('are at most those of twelve calendar months', () => {
    expect(latestEnd('2026-03-01')).toBe('2027-03-01');
    expect(latestEnd('2024-02-29')).toBe('2025-02-28');
  });
});
