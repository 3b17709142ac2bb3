import { type Day, nextPeriod, periodStart, plusDays } from './calendar.ts';
import type { Grain } from './vocabulary.ts';

/** Days that are asked for: the first, and the one after the last. They name days of each series' own timezone. */
export interface QueryWindow {
  readonly from: Day;
  readonly to: Day;
}

/** A period of the grid, as far as the window reaches. */
export interface Period extends QueryWindow {
  /** The first day of the whole period. */
  readonly start: Day;
  /** Whether the window cuts days of it off. */
  readonly isClipped: boolean;
}

const MOST_MONTHS = 12;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads a date, or a date-time, which counts as the date that it writes, whatever its offset; undefined where it is neither.
 * An end whose time is not midnight takes in its day.
 */
export function dayOf(text: string, end: 'from' | 'to'): Day | undefined {
  const [, date, time, offset] = DATE.exec(text) ?? [];
  if (date === undefined) return undefined;
  try {
    const day = Temporal.PlainDate.from(date, { overflow: 'reject' }).toString();
    if (time === undefined) return day;
    const clock = Temporal.PlainTime.from(time, { overflow: 'reject' });
    if (offset !== undefined) Temporal.Instant.from(`2000-01-01T00:00:00${offset.toUpperCase()}`);
    const isMidnight = clock.equals(new Temporal.PlainTime());
    return end === 'from' || isMidnight ? day : plusDays(day, 1);
  } catch {
    return undefined;
  }
}

/** The end that a window may have at most: twelve calendar months after its beginning. */
export function latestEnd(from: Day): Day {
  return Temporal.PlainDate.from(from).add({ months: MOST_MONTHS }).toString();
}

/** The periods that a window touches, in their order. */
export function periodsOf(grain: Grain, { from, to }: QueryWindow): readonly Period[] {
  const periods: Period[] = [];
  for (let start = periodStart(grain, from); start < to;) {
    const next = nextPeriod(grain, start);
    const isClipped = start < from || next > to;
    periods.push({ start, from: start < from ? from : start, to: next > to ? to : next, isClipped });
    start = next;
  }
  return periods;
}

/** How many periods a window touches, without making them. */
export function countPeriods(grain: Grain, { from, to }: QueryWindow): number {
  const first = Temporal.PlainDate.from(periodStart(grain, from));
  const last = Temporal.PlainDate.from(periodStart(grain, plusDays(to, -1)));
  if (grain === 'month') return first.until(last, { largestUnit: 'months' }).months + 1;
  const { days } = first.until(last, { largestUnit: 'days' });
  return (grain === 'week' ? days / 7 : days) + 1;
}
