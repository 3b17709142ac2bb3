import { type Dataset, type Day, placeOf, slotsOf, sumOf } from '../definitions/index.ts';
import { nameOf, type SeriesName, type Slot, type VisibleBlock } from './difference.ts';

/**
 * Measures whose days are not those by which their items are listed: a refund falls on its own day, and its order is listed
 * by the day on which it was placed. What the items of each listed day add is kept apart, in series of its own, so that
 * reading some listed days again replaces just their part of the total.
 */
const LATE: Readonly<Partial<Record<Dataset, readonly string[]>>> = {
  payments: ['orders.refunded', 'renewals.refunded'],
};

export function isLate(dataset: Dataset, measure: string): boolean {
  return LATE[dataset]?.includes(measure) ?? false;
}

/** The measure under which parts are kept; their cut is the listed day. */
export function partsOf(measure: string): string {
  return `${measure}.parts`;
}

/** What the items of one listed day add to a late measure, by the days on which it falls. */
export interface LateFigures {
  readonly measure: string;
  readonly currency: string | null;
  readonly listedOn: Day;
  readonly slots: ReadonlyMap<Day, Slot>;
}

export type NamedBlock = SeriesName & Omit<VisibleBlock, 'seriesId'>;

/** The parts of listed days as blocks of days. */
export function partBlocks(figures: readonly LateFigures[]): readonly NamedBlock[] {
  const blocks = new Map<string, NamedBlock & { values: (string | null)[]; reasons: (string | null)[] }>();
  for (const { measure, currency, listedOn, slots } of figures) {
    for (const [day, { value, reason }] of slots) {
      const { blockStart, slot } = placeOf('day', day);
      const name = { measure: partsOf(measure), currency, cut: listedOn };
      const key = `${nameOf(name)} ${blockStart}`;
      const block = blocks.get(key) ?? { ...name, blockStart, ...emptyBlock(blockStart) };
      blocks.set(key, block);
      block.values[slot] = value;
      block.reasons[slot] = reason;
    }
  }
  return [...blocks.values()];
}

/** Parts that stood of listed days that were read again, and are not there any more. */
export function emptied(was: readonly NamedBlock[], is: readonly NamedBlock[]): readonly NamedBlock[] {
  const key = (block: NamedBlock) => `${nameOf(block)} ${block.blockStart}`;
  const there = new Set(is.map(key));
  return was
    .filter((block) => !there.has(key(block)))
    .map(({ measure, currency, cut, blockStart }) => {
      const { values, reasons } = emptyBlock(blockStart);
      return { measure, currency, cut, blockStart, values, reasons };
    });
}

/** The totals of whole months from all parts in them. */
export function totalsOf(parts: readonly NamedBlock[]): readonly NamedBlock[] {
  const byTotal = Map.groupBy(parts, ({ measure, currency, blockStart }) =>
    JSON.stringify([measure, currency, blockStart]),
  );
  return [...byTotal.values()].map((blocks) => {
    const { measure, currency, blockStart } = blocks[0]!;
    const { values, reasons } = emptyBlock(blockStart);
    for (const at of values.keys()) {
      reasons[at] = blocks.map((block) => block.reasons[at]).find((reason) => reason) ?? null;
      const added = blocks.flatMap((block) => block.values[at] ?? []);
      values[at] = reasons[at] !== null || added.length === 0 ? null : sumOf(added);
    }
    return { measure: measure.slice(0, -partsOf('').length), currency, cut: null, blockStart, values, reasons };
  });
}

function emptyBlock(blockStart: Day): { values: (string | null)[]; reasons: (string | null)[] } {
  const length = slotsOf('day', blockStart);
  return { values: Array.from({ length }, () => null), reasons: Array.from({ length }, () => null) };
}
