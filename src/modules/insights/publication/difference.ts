import { newId } from '../../../kernel/ids/index.ts';
import {
  type Day,
  type Grain,
  placeOf,
  type ReadCoverage,
  type SeriesKey,
  slotsOf,
  startOfSlot,
} from '../definitions/index.ts';

/** A value, or why there is none; both null where nothing was counted. */
export interface Slot {
  readonly value: string | null;
  readonly reason: string | null;
}

export const EMPTY: Slot = { value: null, reason: null };

/** Which series of a read. */
export type SeriesName = Pick<SeriesKey, 'measure' | 'currency' | 'cut'>;

/** What a collection counted for one series, by the first days of periods. */
export interface Figures extends SeriesName {
  readonly slots: ReadonlyMap<Day, Slot>;
}

export interface VisibleSeries extends SeriesName {
  readonly id: string;
}

export interface VisibleBlock {
  readonly seriesId: string;
  readonly blockStart: Day;
  readonly values: readonly (string | null)[];
  readonly reasons: readonly (string | null)[];
}

/** What readers see of a read before a publication. */
export interface Visible {
  readonly series: readonly VisibleSeries[];
  readonly blocks: readonly VisibleBlock[];
  readonly coverage: readonly ReadCoverage[];
}

/** What a publication brings. */
export interface Brought {
  readonly grain: Grain;
  readonly coverage: readonly ReadCoverage[];
  readonly figures: readonly Figures[];
  /** Blocks that follow as a whole from others, in place of what is visible. */
  readonly blocks?: readonly (SeriesName & Omit<VisibleBlock, 'seriesId'>)[];
  /** What is known of a measure. */
  readonly facts: (measure: string) => MeasureFacts;
}

export interface MeasureFacts {
  /** Whether its missing value is a zero where its day was read. */
  readonly isFlow: boolean;
  /** Whether it only comes by whole blocks. */
  readonly isWhole: boolean;
  /** Whether its changes are told; those of parts are not. */
  readonly isTold: boolean;
}

/** A settled value that changed. */
export interface Restatement {
  readonly seriesId: string;
  readonly periodStart: Day;
  readonly old: string | null;
  readonly new: string | null;
}

/** What a publication writes: rows that readers see from it on, in place of those of the same key. */
export interface Difference {
  readonly series: readonly VisibleSeries[];
  readonly blocks: readonly VisibleBlock[];
  readonly coverage: readonly ReadCoverage[];
  readonly restatements: readonly Restatement[];
}

/**
 * Holds what was collected against what is visible. Periods that were read are replaced, in series that were not counted
 * again too; a period that was not read never takes the place of one that was.
 */
export function difference(visible: Visible, brought: Brought): Difference {
  const { grain, facts } = brought;
  const known = new Map(visible.coverage.map((each) => [each.periodStart, each]));
  const coverage = brought.coverage.filter((next) => replaces(next, known.get(next.periodStart)));
  const read = coverage.filter(({ status }) => status !== 'none').map(({ periodStart }) => periodStart);
  const series = new Map(visible.series.map((each) => [nameOf(each), each]));
  const fresh: VisibleSeries[] = [];
  const seriesOf = ({ measure, currency, cut }: SeriesName) => {
    const name = nameOf({ measure, currency, cut });
    let found = series.get(name);
    if (!found) {
      found = { id: newId(), measure, currency, cut };
      series.set(name, found);
      fresh.push(found);
    }
    return found;
  };
  const before = new Map(visible.blocks.map((block) => [keyOf(block), block]));
  const drafts = new Map<string, Draft>();
  const draftOf = (seriesId: string, blockStart: Day) => {
    const key = keyOf({ seriesId, blockStart });
    let draft = drafts.get(key);
    if (!draft) {
      draft = new Draft(seriesId, blockStart, slotsOf(grain, blockStart), before.get(key));
      drafts.set(key, draft);
    }
    return draft;
  };
  // Series that were counted before and not now: their periods are empty from now on.
  for (const { id, measure } of visible.series) {
    if (facts(measure).isWhole) continue;
    for (const day of read) {
      const { blockStart, slot } = placeOf(grain, day);
      if (before.has(keyOf({ seriesId: id, blockStart }))) draftOf(id, blockStart).set(slot, EMPTY);
    }
  }
  const isRead = new Set(read);
  for (const figures of brought.figures) {
    for (const [day, slot] of figures.slots) {
      if (!isRead.has(day)) continue;
      const place = placeOf(grain, day);
      draftOf(seriesOf(figures).id, place.blockStart).set(place.slot, slot);
    }
  }
  for (const block of brought.blocks ?? []) draftOf(seriesOf(block).id, block.blockStart).replace(block);
  const changed = [...drafts.values()].filter((draft) => draft.isChanged);
  const factsById = new Map([...series.values()].map(({ id, measure }) => [id, facts(measure)]));
  return {
    series: fresh.filter(({ id }) => changed.some(({ seriesId }) => seriesId === id)),
    blocks: changed.map((draft) => draft.block),
    coverage,
    restatements: changed.flatMap((draft) => {
      const { isTold, isFlow } = factsById.get(draft.seriesId)!;
      return isTold ? draft.restatements(grain, known, isFlow) : [];
    }),
  };
}

/** Whether new coverage is to be seen in place of what is known; of what was not read only where nothing was before. */
function replaces(next: ReadCoverage, known: ReadCoverage | undefined): boolean {
  if (!known) return true;
  if (next.status === 'none' && known.status !== 'none') return false;
  return next.status !== 'none' || next.reason !== known.reason;
}

/** A block as it will be. */
class Draft {
  private readonly values: (string | null)[];
  private readonly reasons: (string | null)[];

  constructor(
    readonly seriesId: string,
    private readonly blockStart: Day,
    length: number,
    private readonly before: VisibleBlock | undefined,
  ) {
    this.values = Array.from({ length }, (_, at) => before?.values[at] ?? null);
    this.reasons = Array.from({ length }, (_, at) => before?.reasons[at] ?? null);
  }

  set(at: number, { value, reason }: Slot): void {
    this.values[at] = value;
    this.reasons[at] = reason;
  }

  replace({ values, reasons }: Pick<VisibleBlock, 'values' | 'reasons'>): void {
    for (const at of this.values.keys()) this.set(at, { value: values[at] ?? null, reason: reasons[at] ?? null });
  }

  get isChanged(): boolean {
    return this.values.some(
      (value, at) =>
        value !== (this.before?.values[at] ?? null) || this.reasons[at] !== (this.before?.reasons[at] ?? null),
    );
  }

  get block(): VisibleBlock {
    return { seriesId: this.seriesId, blockStart: this.blockStart, values: this.values, reasons: this.reasons };
  }

  restatements(grain: Grain, known: ReadonlyMap<Day, ReadCoverage>, isFlow: boolean): readonly Restatement[] {
    return this.values.flatMap((value, slot) => {
      const old = this.before?.values[slot] ?? null;
      const isZero = (each: string | null, reason: string | null) => isFlow && reason === null && (each ?? '0') === '0';
      const isSame =
        value === old || (isZero(value, this.reasons[slot]!) && isZero(old, this.before?.reasons[slot] ?? null));
      if (isSame) return [];
      const periodStart = startOfSlot(grain, { blockStart: this.blockStart, slot });
      const was = known.get(periodStart);
      if (was?.status !== 'complete' || was.provisional) return [];
      return [{ seriesId: this.seriesId, periodStart, old, new: value }];
    });
  }
}

export function nameOf({ measure, currency, cut }: SeriesName): string {
  return JSON.stringify([measure, currency, cut]);
}

function keyOf({ seriesId, blockStart }: Pick<VisibleBlock, 'seriesId' | 'blockStart'>): string {
  return `${seriesId} ${blockStart}`;
}
