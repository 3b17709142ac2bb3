import { Injectable } from '@nestjs/common';
import { Reads, type Statement } from '../../../kernel/database/index.ts';
import {
  type Day,
  DayGrid,
  type FoldedMeasure,
  type Grain,
  GRAINS,
  isReadAnew,
  type Period,
  periodsOf,
  placeOf,
  plusDays,
  type QueryWindow,
  type RateDay,
  RateBook,
  type Read,
  readAt,
  retainedFrom,
  type Standing,
} from '../definitions/index.ts';
import type { Asker } from './askers.service.ts';
import { ReadPeriods, SeriesSlots, StoredMeasure, SummedMeasure } from './figures.ts';
import type { InsightQueryDto } from './insight-query.dto.ts';
import { type PlannedMeasure, type PlannedSelection, requireBounds } from './plan.ts';
import { isOf, type PlannedSeries, plannedSeries } from './planned-series.ts';
import type { InsightStanding } from './standing.service.ts';
import {
  blocksOf,
  coverageOfReads,
  knownSeries,
  newestRateDay,
  ratesOf,
  type SeenTimezone,
  type StoredBlock,
  type StoredCoverage,
  type StoredRate,
  type StoredSeries,
  timezonesSeen,
  withinMs,
} from './stored-figures.queries.ts';

/** Longest time of a statement that reads figures. */
const STATEMENT_MS = 25_000;
const EURO = 'EUR';
/** Days that a reference rate may be older than the day that it is for. */
const RATE_DAYS = 7;
/** Behind all days: nothing of an old timezone is read any more. */
const NEVER: Day = '9999-12-31';

/** A series whose points can be computed. */
export interface ReadSeries extends PlannedSeries {
  readonly measures: ReadonlyMap<string, FoldedMeasure>;
  readonly grid: DayGrid;
  readonly today: Day;
}

/** Everything that an answer is made of, as of one revision. */
export interface ReadFigures {
  readonly series: readonly ReadSeries[];
  readonly periods: readonly Period[];
  readonly rates: RateBook;
  /** Stored series that were read, for what is said later of them. */
  readonly seriesIds: readonly string[];
}

interface Asked {
  readonly query: InsightQueryDto;
  readonly window: QueryWindow;
  readonly currency: string | null;
  readonly selections: readonly PlannedSelection[];
  readonly standing: InsightStanding;
}

/** Reads what a planned query needs, in two round trips: which series there are, which refuses what is too much, then their values. */
@Injectable()
export class FiguresReadingService {
  constructor(private readonly reads: Reads) {}

  async read(asker: Asker, asked: Asked): Promise<ReadFigures> {
    const { query, window, selections } = asked;
    const found = await this.find(asker, asked);
    const planned = plannedSeries(selections, found.known, found.seen, query.grain);
    requireBounds(planned.length, query, window);
    const stored = found.known.filter((series) =>
      planned.some(
        ({ selection, source, timezone }) =>
          source.id === series.sourceId &&
          timezone === series.timezone &&
          selection.measures.some((measure) => isOf(series, measure, query.grain)),
      ),
    );
    const values = await this.values(asker, asked, planned, stored);
    return {
      series: new Assembly(asked, stored, found.seen, values).series(planned),
      periods: periodsOf(query.grain, window),
      rates: values.rates,
      seriesIds: stored.map(({ id }) => id),
    };
  }

  private find({ organizationId, againAccess }: Asker, { query, window, selections, standing }: Asked) {
    const sourceIds = distinct(selections.flatMap(({ sources }) => sources.map(({ id }) => id)));
    const measures = distinct(selections.flatMap((each) => each.measures.map(({ stored }) => stored.key)));
    const revision = standing.state.publicationRevision;
    // A block of coarse periods may begin long before them; blocks of days begin with their month.
    const from = placeOf(query.grain === 'day' ? 'day' : 'month', window.from).blockStart;
    return this.reads.listThrough(againAccess, {
      statements: () =>
        [
          withinMs(STATEMENT_MS),
          knownSeries(organizationId, { sourceIds, measures, revision, from, to: window.to }),
          timezonesSeen(organizationId, revision, sourceIds, window),
        ] as readonly Statement[],
      result: ([, known, seen]) => ({ known: known as StoredSeries[], seen: seen as SeenTimezone[] }),
    });
  }

  private values(
    { organizationId, againAccess }: Asker,
    { query, window, currency, selections, standing }: Asked,
    planned: readonly PlannedSeries[],
    stored: readonly StoredSeries[],
  ): Promise<Values> {
    const revision = standing.state.publicationRevision;
    const sourceIds = distinct(planned.map(({ source }) => source.id));
    const reads = selections.flatMap(({ measures }) => measures.map((measure) => readAt(measure.stored, query.grain)));
    const readKeys = distinct(reads.map(({ key }) => key));
    const currencies = distinct(
      planned.flatMap((each) => (each.currency === null ? [] : [each.currency, currency ?? each.currency])),
    ).filter((each) => each !== EURO);
    const [first, last] = [plusDays(window.from, -RATE_DAYS), plusDays(window.to, RATE_DAYS)];
    const starts = GRAINS.map((grain) => [grain, placeOf(grain, window.from).blockStart] as const);
    return this.reads.listThrough(againAccess, {
      statements: () =>
        [
          withinMs(STATEMENT_MS),
          // Weeks and months that the window cuts begin before it.
          coverageOfReads(
            organizationId,
            revision,
            { sourceIds, readKeys },
            { from: coarseFrom(query.grain, window), to: window.to },
          ),
          ratesOf(currencies, first, last),
          newestRateDay(),
          ...starts.map(([grain, from]) =>
            blocksOf(
              organizationId,
              revision,
              stored.filter((series) => series.grain === grain).map(({ id }) => id),
              { from, to: window.to },
            ),
          ),
        ] as readonly Statement[],
      result: ([, coverage, rates, newest, ...blocks]) => ({
        coverage: coverage as StoredCoverage[],
        rates: rateBook(rates as StoredRate[], (newest as { day: string | null }[])[0]?.day ?? ''),
        blocks: blocks.flat() as StoredBlock[],
      }),
    });
  }
}

interface Values {
  readonly coverage: readonly StoredCoverage[];
  readonly rates: RateBook;
  readonly blocks: readonly StoredBlock[];
}

/** Puts stored figures together to the measures of planned series. */
class Assembly {
  private readonly grids = new Map<string, DayGrid>();
  private readonly periods = new Map<string, ReadPeriods>();
  private readonly slots: ReadonlyMap<string, SeriesSlots>;
  private readonly coverage: Map<string, StoredCoverage[]>;
  private readonly stored: Map<string, StoredSeries[]>;

  constructor(
    private readonly asked: Asked,
    stored: readonly StoredSeries[],
    private readonly seen: readonly SeenTimezone[],
    { coverage, blocks }: Values,
  ) {
    const bySeries = Map.groupBy(blocks, ({ seriesId }) => seriesId);
    this.slots = new Map([...bySeries].map(([id, own]) => [id, new SeriesSlots(own)]));
    this.coverage = Map.groupBy(coverage, (row) => placeKey(row.sourceId, row.readKey, row.version, row.timezone));
    this.stored = Map.groupBy(stored, (row) => placeKey(row.sourceId, row.measure, row.version, row.timezone));
  }

  series(planned: readonly PlannedSeries[]): readonly ReadSeries[] {
    return planned.flatMap((each) => {
      const grid = this.gridOf(each.timezone);
      const today = grid.dayAt(this.asked.standing.now);
      const made = each.selection.measures.map(
        (measure) => [measure.name, this.measuresOf(each, measure, today)] as const,
      );
      // Of a cut only the values that were seen in the window itself have a series.
      if (
        each.split &&
        each.selection.only === null &&
        !made.some(([, parts]) => parts.some((part) => this.isSeen(part, grid)))
      )
        return [];
      const measures = made.map(
        ([name, parts]) => [name, parts.length === 1 ? parts[0]! : new SummedMeasure(parts[0]!.kind, parts)] as const,
      );
      return [{ ...each, measures: new Map(measures), grid, today }];
    });
  }

  private isSeen(part: StoredMeasure, grid: DayGrid): boolean {
    const { query, window } = this.asked;
    const whole = periodsOf(query.grain, window).map(({ start }) => start);
    return part.hasAny(part.kind === 'distinct' ? whole : grid.daysOf(window));
  }

  private gridOf(timezone: string): DayGrid {
    let grid = this.grids.get(timezone);
    if (!grid) {
      grid = new DayGrid(timezone);
      this.grids.set(timezone, grid);
    }
    return grid;
  }

  private measuresOf(series: PlannedSeries, measure: PlannedMeasure, today: Day): readonly StoredMeasure[] {
    const { source, timezone, cuts } = series;
    const { stored, version } = measure;
    const { grain } = this.asked.query;
    const place = placeKey(source.id, stored.key, version, timezone);
    const own = (this.stored.get(place) ?? []).filter((each) => isOf(each, measure, grain));
    const currency = stored.perCurrency ? series.currency : null;
    const periods = this.periodsOf(series, measure, today);
    const slotsOf = (wanted: string | null, cut: string | null) => {
      const found = own.find((each) => each.currency === wanted && each.cut === cut);
      return found ? [this.slots.get(found.id) ?? new SeriesSlots([])] : [];
    };
    return cuts.map((cut) => {
      const value = stored.cut === null ? null : cut;
      const general = [
        ...(currency === null ? [] : slotsOf(null, value)),
        ...(value === null ? [] : slotsOf(currency, null)),
        ...(currency === null || value === null ? [] : slotsOf(null, null)),
      ];
      return new StoredMeasure(stored, periods, slotsOf(currency, value)[0], general);
    });
  }

  private periodsOf(
    { selection, source, timezone }: PlannedSeries,
    { stored, version }: PlannedMeasure,
    today: Day,
  ): ReadPeriods {
    const { key, version: ofDefinition } = selection.definition;
    const read = readAt(stored, this.asked.query.grain);
    const place = placeKey(source.id, read.key, version, timezone);
    const name = `${key} ${ofDefinition} ${place}`;
    let periods = this.periods.get(name);
    if (!periods) {
      const rows = this.coverage.get(place) ?? [];
      const first = rows.map(({ periodStart }) => periodStart).toSorted()[0];
      periods = new ReadPeriods(read.grain, rows, this.standingOf(selection, source, timezone, read, today, first));
      this.periods.set(name, periods);
    }
    return periods;
  }

  /** Why days of a read are missing. */
  private standingOf(
    { definition }: PlannedSelection,
    source: PlannedSeries['source'],
    timezone: string,
    { backfill }: Read,
    today: Day,
    first: Day | undefined,
  ): Standing {
    const { body, key, version, recalculation } = definition;
    const isAccount = body.reportingTimezone === null;
    const others = this.seen.some((each) => each.sourceId === source.id && each.timezone !== timezone);
    const isReplaced = isAccount && timezone !== (source.timezone ?? 'UTC');
    const wasReadAnew = this.asked.standing.definitions.some(
      (each) => each.key === key && each.version < version && isReadAnew(each.body, body) !== undefined,
    );
    const beganWithin = isAccount ? others : backfill === null && wasReadAnew;
    return {
      isSupported: source.coverage.reason !== 'unsupported_capability',
      pausedFor: source.pausedReason,
      versionFrom: isReplaced ? NEVER : beganWithin ? (first ?? today) : null,
      retainedFrom: retainedFrom(backfill, today),
      isRecalculating: recalculation.status !== 'current',
    };
  }
}

function placeKey(sourceId: string, name: string, version: number, timezone: string): string {
  return `${sourceId} ${name} ${version} ${timezone}`;
}

/** The first day of the first period that a window touches, but for days themselves. */
function coarseFrom(grain: Grain, window: QueryWindow): Day {
  return periodsOf(grain, window)[0]!.start;
}

function rateBook(rates: readonly StoredRate[], newest: Day): RateBook {
  const days = [...Map.groupBy(rates, ({ day }) => day)].map(([day, own]): RateDay => ({
    day,
    rates: new Map(own.map(({ currency, rate }) => [currency, rate])),
  }));
  return new RateBook(days, newest);
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
