import { type Dataset, type Day, nextPeriod, periodStart, plusDays, type Read } from '../definitions/index.ts';
import type { ReadProgress } from './read-progress.ts';

/** How often a read is made, what it reads again, and what it may take. */
export interface Rhythm {
  readonly everyMinutes: number;
  /** Days before today that each reading reads again; 0 of gauges, which only know how it stands. */
  readonly againDays: number;
  /** Days that are read once more once a day; null where none are. */
  readonly deepDays: number | null;
  /** Days of history of one collection; null where a list goes on until its pages run out. */
  readonly historyDays: number | null;
  /** Requests of one collection. */
  readonly calls: number;
  /** Between two requests. */
  readonly spacingMs: number;
}

const LIST: Rhythm = {
  everyMinutes: 60,
  againDays: 2,
  deepDays: 90,
  historyDays: null,
  calls: 40,
  spacingMs: 500,
};
const GAUGE: Rhythm = { everyMinutes: 60, againDays: 0, deepDays: null, historyDays: null, calls: 40, spacingMs: 0 };
const REPORT: Rhythm = { everyMinutes: 240, againDays: 3, deepDays: null, historyDays: 62, calls: 8, spacingMs: 0 };

/** By dataset and report. */
const RHYTHMS: Readonly<Record<Dataset, Readonly<Record<string, Rhythm>>>> = {
  payments: { orders: LIST, renewals: LIST, subscriptions: { ...GAUGE, everyMinutes: 360 } },
  web: { traffic: REPORT, audience: { ...REPORT, historyDays: 168 } },
  documents: { created: { ...REPORT, everyMinutes: 360, againDays: 2, historyDays: 93 } },
  keys: { keys: GAUGE },
  conversations: { created: { ...LIST, deepDays: null, historyDays: 90, spacingMs: 0 }, open: GAUGE },
};

/** Requests that a source may take a day; a collection begins only below it. */
const CALLS_A_DAY: Readonly<Record<Dataset, number>> = {
  payments: 600,
  web: 100,
  documents: 200,
  keys: 200,
  conversations: 400,
};

export function rhythmOf({ dataset, report }: Pick<Read, 'dataset' | 'report'>): Rhythm {
  return RHYTHMS[dataset][report]!;
}

export function callsADay(dataset: Dataset): number {
  return CALLS_A_DAY[dataset];
}

/** `recent`: the last days; `deep`: older ones once more, and the last days with them; `history`: what was never read. */
export const PURPOSES = ['recent', 'deep', 'history'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Which days are read next, and from where in a list. */
export interface Work {
  readonly purpose: Purpose;
  readonly from: Day;
  /** The day after the last. */
  readonly to: Day;
  readonly resume: Readonly<Record<string, unknown>> | null;
}

export interface Standing {
  readonly isDue: boolean;
  readonly progress: ReadProgress;
  /** The first day of history. */
  readonly historyFrom: Day;
  /** In the read's timezone. */
  readonly today: Day;
  readonly now: string;
}

const DAY_MS = 86_400_000;

/** What a read has to do now: recent days first, history last; undefined where nothing is to do. */
export function nextWork(read: Read, { isDue, progress, historyFrom, today, now }: Standing): Work | undefined {
  const { againDays, deepDays, historyDays } = rhythmOf(read);
  const { from, to, backfilled, rereadAt, resume } = progress;
  const tomorrow = plusDays(today, 1);
  if (isDue) {
    if (read.backfill === null) return { purpose: 'recent', from: today, to: tomorrow, resume: null };
    const first = (days: number) => latest(plusDays(today, -days), from === null ? historyFrom : earliest(from, today));
    if (deepDays !== null && rereadAt !== null && Date.parse(now) - Date.parse(rereadAt) >= DAY_MS)
      return aligned(read, { purpose: 'deep', from: first(deepDays), to: tomorrow, resume: null });
    // What was missed meanwhile is read with it.
    const recent = first(againDays);
    return aligned(read, {
      purpose: 'recent',
      from: to === null ? latest(plusDays(today, -againDays), historyFrom) : earliest(recent, latest(to, historyFrom)),
      to: tomorrow,
      resume: null,
    });
  }
  if (read.backfill === null || backfilled || from === null || from <= historyFrom) return undefined;
  const start = historyDays === null ? historyFrom : latest(historyFrom, plusDays(from, -historyDays));
  return aligned(read, { purpose: 'history', from: start, to: from, resume });
}

/** Weeks and months are read whole. */
function aligned({ grain }: Read, work: Work): Work {
  return grain === 'day' ? work : { ...work, from: periodStart(grain, work.from) };
}

/** The first days of the periods of a window. */
export function periodsOf({ grain }: Pick<Read, 'grain'>, { from, to }: Pick<Work, 'from' | 'to'>): readonly Day[] {
  const periods: Day[] = [];
  for (let period = periodStart(grain, from); period < to; period = nextPeriod(grain, period)) periods.push(period);
  return periods;
}

function earliest(one: Day, other: Day): Day {
  return one < other ? one : other;
}

function latest(one: Day, other: Day): Day {
  return one > other ? one : other;
}
