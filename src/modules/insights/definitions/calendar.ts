import type { Grain } from './vocabulary.ts';

/** A day, as an ISO date. Days are compared as texts. */
export type Day = string;

const DAY_MS = 86_400_000;

/** As answers do it ten thousand times: milliseconds of days without zones, since `Temporal` takes ten times as long. */
export function plusDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The first day of the period that a day is in. */
export function periodStart(grain: Grain, day: Day): Day {
  if (grain === 'day') return day;
  if (grain === 'month') return `${day.slice(0, 8)}01`;
  return plusDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek);
}

/** The first day of the period behind the one that a day is in. */
export function nextPeriod(grain: Grain, day: Day): Day {
  const start = Temporal.PlainDate.from(periodStart(grain, day));
  return start.add(grain === 'month' ? { months: 1 } : { days: grain === 'week' ? 7 : 1 }).toString();
}

/** Where a period's value is stored: the first day of its block, and which slot of it, counted from 0. */
export interface Place {
  readonly blockStart: Day;
  readonly slot: number;
}

/** A month of days, an ISO year of weeks, a year of months. `day` may be any day of the period. */
export function placeOf(grain: Grain, day: Day): Place {
  if (grain === 'day') return { blockStart: `${day.slice(0, 8)}01`, slot: Number(day.slice(8, 10)) - 1 };
  if (grain === 'month') return { blockStart: `${day.slice(0, 5)}01-01`, slot: Number(day.slice(5, 7)) - 1 };
  const { yearOfWeek, weekOfYear } = Temporal.PlainDate.from(day);
  return { blockStart: firstMonday(yearOfWeek!), slot: weekOfYear! - 1 };
}

/** The first day of a slot's period. */
export function startOfSlot(grain: Grain, { blockStart, slot }: Place): Day {
  const start = Temporal.PlainDate.from(blockStart);
  return start.add(grain === 'month' ? { months: slot } : { days: grain === 'week' ? slot * 7 : slot }).toString();
}

/** How many slots a block has: 28 to 31, 52 or 53, 12. */
export function slotsOf(grain: Grain, blockStart: Day): number {
  const start = Temporal.PlainDate.from(blockStart);
  if (grain === 'day') return start.daysInMonth;
  if (grain === 'month') return 12;
  return placeOf('week', start.add({ days: 52 * 7 }).toString()).slot === 0 ? 52 : 53;
}

/** The Monday of the week with the fourth of January (ISO 8601). */
function firstMonday(year: number): Day {
  return periodStart('week', Temporal.PlainDate.from({ year, month: 1, day: 4 }).toString());
}
