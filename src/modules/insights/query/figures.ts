import {
  type CoverageSum,
  coverageOf,
  type Day,
  type Fact,
  factOf,
  type FoldedMeasure,
  type Grain,
  joinCoverage,
  type Measure,
  type MeasureKind,
  missingPart,
  nextPeriod,
  type Part,
  type Period,
  placeOf,
  plusDays,
  type ReadCoverage,
  type Slot,
  type Standing,
  sumOf,
} from '../definitions/index.ts';
import type { StoredBlock } from './stored-figures.queries.ts';

const EMPTY: Slot = { value: null, reason: null };

/** The blocks of one series. */
export class SeriesSlots {
  private readonly blocks: ReadonlyMap<Day, StoredBlock>;

  constructor(blocks: readonly StoredBlock[]) {
    this.blocks = new Map(blocks.map((block) => [block.start, block]));
  }

  at(grain: Grain, start: Day): Slot {
    const { blockStart, slot } = placeOf(grain, start);
    const block = this.blocks.get(blockStart);
    if (!block) return EMPTY;
    return { value: block.values[slot] ?? null, reason: block.reasons[slot] ?? null };
  }
}

interface CoveredPart {
  readonly part: Part;
  readonly coverage: CoverageSum;
  readonly to: Day;
}

/** What was read of a source in one timezone, period by period; of the others why it was not. */
export class ReadPeriods {
  private readonly rows: ReadonlyMap<Day, ReadCoverage>;
  private readonly parts = new Map<Day, CoveredPart>();

  constructor(
    readonly grain: Grain,
    rows: readonly ReadCoverage[],
    private readonly standing: Standing,
  ) {
    this.rows = new Map(rows.map((row) => [row.periodStart, row]));
  }

  at(start: Day): CoveredPart {
    let made = this.parts.get(start);
    if (!made) {
      const part = this.rows.get(start) ?? missingPart(this.standing, start);
      const to = this.grain === 'day' ? plusDays(start, 1) : nextPeriod(this.grain, start);
      made = { part, coverage: coverageOf(part, start, to), to };
      this.parts.set(start, made);
    }
    return made;
  }
}

/** A measure of one series of an answer. */
export class StoredMeasure implements FoldedMeasure {
  private readonly facts = new Map<Day, Fact>();

  constructor(
    private readonly measure: Measure,
    private readonly periods: ReadPeriods,
    private readonly slots: SeriesSlots | undefined,
    /** Series of the same measure without currency or cut, whose reasons hold for this one too. */
    private readonly general: readonly SeriesSlots[],
  ) {}

  get kind(): MeasureKind {
    return this.measure.kind;
  }

  factOn(day: Day): Fact {
    return this.factAt(day);
  }

  factOf({ start }: Period): Fact {
    return this.factAt(start);
  }

  /** Whether anything was said of one of these periods. */
  hasAny(starts: readonly Day[]): boolean {
    return starts.some((start) => {
      const { value, reason } = this.slots?.at(this.periods.grain, start) ?? EMPTY;
      return value !== null || reason !== null;
    });
  }

  private factAt(start: Day): Fact {
    let fact = this.facts.get(start);
    if (!fact) {
      const { part, coverage, to } = this.periods.at(start);
      fact = factOf(this.measure.kind, part, this.slotAt(start), start, to, coverage);
      this.facts.set(start, fact);
    }
    return fact;
  }

  private slotAt(start: Day): Slot {
    const { grain } = this.periods;
    for (const series of this.general) {
      const { value, reason } = series.at(grain, start);
      if (reason !== null) return { value: null, reason };
      // An amount of which nobody knows the currency is missing from those of all.
      if (value !== null) return { value: null, reason: 'missing_value' };
    }
    return this.slots?.at(grain, start) ?? EMPTY;
  }
}

/** Values of a cut, added up day by day. */
export class SummedMeasure implements FoldedMeasure {
  private readonly facts = new Map<Day, Fact>();

  constructor(
    readonly kind: MeasureKind,
    private readonly parts: readonly StoredMeasure[],
  ) {}

  factOn(day: Day): Fact {
    return this.summed(day, (part) => part.factOn(day));
  }

  factOf(period: Period): Fact {
    return this.summed(period.start, (part) => part.factOf(period));
  }

  private summed(start: Day, factFrom: (part: StoredMeasure) => Fact): Fact {
    let fact = this.facts.get(start);
    if (!fact) {
      const all = this.parts.map(factFrom);
      const coverage = [...new Set(all.map((each) => each.coverage))].reduce(joinCoverage);
      const values = all.flatMap(({ value }) => value ?? []);
      fact = { value: values.length === all.length ? sumOf(values) : null, coverage };
      this.facts.set(start, fact);
    }
    return fact;
  }
}
