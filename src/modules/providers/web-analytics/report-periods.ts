const DAY_MS = 86_400_000;
/** Days of one report for metrics. */
const MOST_DAYS = 31;
const WHOLE_WEEKS = 28;

export type Grain = 'day' | 'week' | 'month';

/** Days of one request: the first, and the one after the last. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** The dimension of each grain, and the first day of the period that a value of it names; undefined where it names none. */
export const PERIODS: Readonly<
  Record<Grain, { readonly dimension: string; startOf(value: string): string | undefined }>
> = {
  day: { dimension: 'date', startOf: dayOf },
  week: { dimension: 'isoYearIsoWeek', startOf: weekOf },
  month: { dimension: 'yearMonth', startOf: monthOf },
};

function dayOf(value: string): string | undefined {
  return /^\d{8}$/.test(value) ? `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}` : undefined;
}

function monthOf(value: string): string | undefined {
  return /^\d{6}$/.test(value) ? `${value.slice(0, 4)}-${value.slice(4)}-01` : undefined;
}

/** The Monday of an ISO week: week 1 is the one with the fourth of January. */
function weekOf(value: string): string | undefined {
  if (!/^\d{6}$/.test(value)) return undefined;
  const [year, week] = [Number(value.slice(0, 4)), Number(value.slice(4))];
  return plusDays(mondayOf(`${value.slice(0, 4)}-01-04`), year > 0 ? (week - 1) * 7 : 0);
}

function mondayOf(day: string): string {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return plusDays(day, -weekday);
}

export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

function monthAfter(day: string): string {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 1)).toISOString().slice(0, 10);
}

/** The days from which to ask so that only whole periods come. */
export function alignedFrom(day: string, grain: Grain): string {
  if (grain === 'week') return mondayOf(day);
  return grain === 'month' ? `${day.slice(0, 7)}-01` : day;
}

/** The window that begins at a day, and ends with a whole period. */
export function windowAt(from: string, to: string, grain: Grain): Window {
  const most =
    grain === 'day' ? plusDays(from, MOST_DAYS) : grain === 'week' ? plusDays(from, WHOLE_WEEKS) : monthAfter(from);
  if (most <= to) return { from, to: most };
  if (grain === 'week') return { from, to: alignedFrom(to, 'week') === to ? to : plusDays(mondayOf(to), 7) };
  return { from, to: grain === 'month' ? most : to };
}

/** The days of a window. */
export function daysOf({ from, to }: Window): readonly string[] {
  const days: string[] = [];
  for (let day = from; day < to; day = plusDays(day, 1)) days.push(day);
  return days;
}
