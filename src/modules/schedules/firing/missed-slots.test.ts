import { describe, expect, it } from '@jest/globals';
import { missedReason, slotsPassed } from './missed-slots.ts';
import { instantText, slotsAfter, type Trigger } from '../schedule-trigger.ts';

const hourly: Trigger = { kind: 'interval', everyMinutes: 60, timezone: 'UTC' };

describe('slotsPassed', () => {
  it('counts what passed, and keeps the newest hundred', async () => {
    const { next, missedCount, newestMissed } = await slotsPassed(
      hourly,
      instantText('2026-03-01T00:00:00Z'),
      instantText('2026-03-08T00:30:00Z'),
    );
    expect([next, missedCount]).toEqual([instantText('2026-03-08T01:00:00Z'), 7 * 24]);
    expect(newestMissed).toHaveLength(100);
    expect([newestMissed[0], newestMissed.at(-1)]).toEqual([
      instantText('2026-03-03T21:00:00Z'),
      instantText('2026-03-08T00:00:00Z'),
    ]);
  });

  it('counts nothing where the next slot is in the future, or there is none', async () => {
    const at = instantText('2026-03-01T00:00:00Z');
    const now = instantText('2026-03-01T00:00:01Z');
    expect(await slotsPassed(hourly, at, now)).toEqual({
      next: instantText('2026-03-01T01:00:00Z'),
      missedCount: 0,
      newestMissed: [],
    });
    const none = { next: null, missedCount: 0, newestMissed: [] };
    expect(await slotsPassed({ kind: 'once', at }, at, now)).toEqual(none);
    const later = instantText('2026-03-02T00:00:00Z');
    expect(await slotsPassed({ kind: 'once', at: later }, at, now)).toEqual(none);
  });
});

/** One by one, as no service could. */
function walked(trigger: Trigger, slot: string, now: string) {
  const missed: string[] = [];
  for (const later of slotsAfter(trigger, slot)) {
    if (later > now) return { next: later, missedCount: missed.length, newestMissed: missed.slice(-100) };
    missed.push(later);
  }
  return { next: null, missedCount: missed.length, newestMissed: missed.slice(-100) };
}

describe('slots that are counted', () => {
  const cron = (expression: string, timezone: string): Trigger => ({ kind: 'cron', expression, timezone });

  it.each([
    { kind: 'interval', everyMinutes: 7, timezone: 'UTC' } as const,
    cron('*/5 * * * *', 'Europe/Berlin'),
    cron('* * * * *', 'America/New_York'),
    cron('*/10 * * * *', 'Australia/Lord_Howe'),
    cron('0 * * * *', 'Australia/Lord_Howe'),
    cron('15 */3 * * *', 'Africa/Casablanca'),
    cron('*/20 1-3 * * *', 'America/Santiago'),
    cron('30 2 * * *', 'Europe/Berlin'),
    cron('0,30 0-2,22-23 * * MON-FRI', 'Antarctica/Troll'),
    cron('*/5 9 L * *', 'UTC'),
  ])('are as many as a walk finds, and the newest the same: %j', async (trigger) => {
    // Beginnings and ends among changes of the clock, at slots and between them.
    for (const [from, now] of [
      ['2026-02-01T00:00:00Z', '2026-04-05T10:31:00Z'],
      ['2026-03-29T00:30:00Z', '2026-04-20T07:00:00.123456Z'],
      ['2026-09-20T03:07:11.5Z', '2026-10-25T00:30:00Z'],
      ['2026-10-25T01:10:00Z', '2026-11-20T12:00:00Z'],
    ] as const) {
      const slot = slotsAfter(trigger, instantText(from)).next().value!;
      expect(await slotsPassed(trigger, slot, instantText(now))).toEqual(walked(trigger, slot, instantText(now)));
    }
  });

  it('of five years take a while, and never hold the event loop for 20 ms of it', async () => {
    let longest = 0;
    let turns = 0;
    let counting = true;
    const cpu = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1_000;
    };
    const watch = (before: number) => {
      turns += 1;
      longest = Math.max(longest, cpu() - before);
      if (counting) setImmediate(watch, cpu());
    };
    setImmediate(watch, cpu());
    const passed = await slotsPassed(
      cron('*/5 * * * *', 'Europe/Berlin'),
      instantText('2021-03-01T00:00:00Z'),
      instantText('2026-03-01T00:02:00Z'),
    );
    counting = false;
    expect(passed.missedCount).toBe((5 * 365 + 1) * 288);
    expect(passed.newestMissed).toHaveLength(100);
    expect([passed.newestMissed.at(-1), passed.next]).toEqual(
      ['2026-03-01T00:00:00Z', '2026-03-01T00:05:00Z'].map(instantText),
    );
    expect(turns).toBeGreaterThan(2);
    expect(longest).toBeLessThan(20);
  });

  it('of an interval are a division, however many', async () => {
    const trigger: Trigger = { kind: 'interval', everyMinutes: 5, timezone: 'UTC' };
    const { missedCount, next, newestMissed } = await slotsPassed(
      trigger,
      instantText('1926-03-01T00:00:00.5Z'),
      instantText('2026-03-01T00:00:01Z'),
    );
    expect([missedCount, newestMissed.length, next]).toEqual([
      36_525 * 288,
      100,
      instantText('2026-03-01T00:05:00.5Z'),
    ]);
  });
});

describe('missedReason', () => {
  const [early, from, within, until, late] = [1, 2, 3, 4, 5].map((hour) => instantText(`2026-03-01T0${hour}:00:00Z`));

  it('tells slots of a stop from others', () => {
    const stops = [{ from: from!, until: until! }];
    expect([early, within, late].map((slot) => missedReason(slot!, stops))).toEqual([
      'missed',
      'dispatch_stopped',
      'missed',
    ]);
    expect(missedReason(early!, [{ from: null, until: until! }])).toBe('dispatch_stopped');
    expect(missedReason(within!, [])).toBe('missed');
  });
});
