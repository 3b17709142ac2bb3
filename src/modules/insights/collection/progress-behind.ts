import { type Day, plusDays, type Read, retainedFrom } from '../definitions/index.ts';
import type { CollectionRow, ReadRow, Told } from './collection.queries.ts';
import { later } from './later.ts';
import { rhythmOf } from './read-rhythm.ts';

/** How far a read has come behind a published collection, and when it is due again. */
export function progressBehind(
  read: Read,
  row: ReadRow,
  { purpose, fromDay, toDay }: Pick<CollectionRow, 'purpose' | 'fromDay' | 'toDay'>,
  { wholeFrom, wholePage, lastPage }: Pick<Told, 'wholeFrom' | 'wholePage' | 'lastPage'>,
  today: Day,
  now: string,
): ReadRow {
  const was = row.progress;
  const historyFrom = retainedFrom(read.backfill, today);
  if (purpose === 'history') {
    const isCut = wholeFrom !== null && wholeFrom > fromDay && read.dataset !== 'documents';
    // A day that no collection can read whole is passed by.
    const isPassed = isCut && wholeFrom >= toDay;
    const reached = isPassed ? plusDays(toDay, -1) : isCut ? wholeFrom : fromDay;
    const page = isPassed ? lastPage : (wholePage ?? 1);
    const resume = isCut ? { page: Math.max(page - 1, 1) } : null;
    const isListed = rhythmOf(read).historyDays === null;
    const progress = {
      ...was,
      from: reached,
      backfilled: !isCut && (isListed || reached <= historyFrom),
      resume: isListed ? resume : null,
    };
    return { ...row, checkpoint: null, progress };
  }
  const first = wholeFrom !== null && wholeFrom > fromDay ? wholeFrom : fromDay;
  const from = was.from !== null && was.from < first ? was.from : first;
  const rereadAt = purpose === 'deep' || was.rereadAt === null ? now : was.rereadAt;
  return {
    ...row,
    dueAt: later(now, rhythmOf(read).everyMinutes * 60_000),
    checkpoint: null,
    progress: { ...was, from, to: toDay, backfilled: was.backfilled || read.backfill === null, rereadAt },
  };
}
