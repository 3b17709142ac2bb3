import { describe, expect, it } from '@jest/globals';
import { missedReason, slotsPassed } from './missed-slots.ts';
import { instantText, type Trigger } from './schedule-trigger.ts';

const hourly: Trigger = { kind: 'interval', everyMinutes: 60, timezone: 'UTC' };

describe('slotsPassed', () => {
  it('counts what passed, and keeps the newest hundred', () => {
    const { next, missedCount, newestMissed } = slotsPassed(
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

  it('counts nothing where the next slot is in the future, or there is none', () => {
    const at = instantText('2026-03-01T00:00:00Z');
    const now = instantText('2026-03-01T00:00:01Z');
    expect(slotsPassed(hourly, at, now)).toEqual({
      next: instantText('2026-03-01T01:00:00Z'),
      missedCount: 0,
      newestMissed: [],
    });
    const none = { next: null, missedCount: 0, newestMissed: [] };
    expect(slotsPassed({ kind: 'once', at }, at, now)).toEqual(none);
    const later = instantText('2026-03-02T00:00:00Z');
    expect(slotsPassed({ kind: 'once', at: later }, at, now)).toEqual(none);
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
