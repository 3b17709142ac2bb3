import { type Day, plusDays } from '../definitions/index.ts';

/** Rates of a day are there from then on, on working days. */
const PUBLISHED = '14:15';
const SATURDAY = 6;
/** The file of three months reaches back further than that. */
const MOST_MISSED_DAYS = 80;
/** Rates that are kept. */
const KEPT_MONTHS = 61;

/** The files that the European Central Bank offers. */
export const RATE_FILES = {
  daily: { path: 'eurofxref-daily.xml', maxBytes: 64 * 1_024, totalMs: 10_000 },
  recent: { path: 'eurofxref-hist-90d.xml', maxBytes: 1_024 * 1_024, totalMs: 10_000 },
  history: { path: 'eurofxref-hist.xml', maxBytes: 16 * 1_024 * 1_024, totalMs: 60_000 },
} as const;
export type RateFile = keyof typeof RATE_FILES;

/** The last day of which rates should be there by now; holidays are none, as nobody knows them all. */
export function expectedDay(now: string): Day {
  let day = now.slice(0, 10);
  if (now.slice(11, 16) < PUBLISHED) day = plusDays(day, -1);
  while (weekdayOf(day) >= SATURDAY) day = plusDays(day, -1);
  return day;
}

/** Which file brings what is missing; undefined where nothing is. */
export function fileFor(newest: Day | null, now: string): RateFile | undefined {
  const expected = expectedDay(now);
  if (newest !== null && newest >= expected) return undefined;
  if (newest === null || newest < plusDays(now.slice(0, 10), -MOST_MISSED_DAYS)) return 'history';
  return nextWorkingDay(newest) >= expected ? 'daily' : 'recent';
}

/** The first day of which rates are kept. */
export function keptFrom(now: string): Day {
  return Temporal.PlainDate.from(now.slice(0, 10)).subtract({ months: KEPT_MONTHS }).toString();
}

function nextWorkingDay(day: Day): Day {
  let next = plusDays(day, 1);
  while (weekdayOf(next) >= SATURDAY) next = plusDays(next, 1);
  return next;
}

function weekdayOf(day: Day): number {
  return Temporal.PlainDate.from(day).dayOfWeek;
}
