import { type Day, startOfSlot } from './calendar.ts';
import type { Block } from './measure.ts';
import type { Grain } from './vocabulary.ts';

/** That a value which was final is another one now; null where there is none. */
export interface Restatement {
  readonly periodStart: Day;
  readonly old: string | null;
  readonly new: string | null;
}

/** What changed between two contents of a block, of the periods that were settled before. */
export function restatementsOf(
  grain: Grain,
  was: Block,
  is: Pick<Block, 'values'>,
  isSettled: (periodStart: Day) => boolean,
): readonly Restatement[] {
  const slots = Math.max(was.values.length, is.values.length);
  return Array.from({ length: slots }, (_, slot): Restatement => ({
    periodStart: startOfSlot(grain, { blockStart: was.start, slot }),
    old: was.values[slot] ?? null,
    new: is.values[slot] ?? null,
  })).filter((change) => change.old !== change.new && isSettled(change.periodStart));
}
