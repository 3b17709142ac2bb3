import type { ReportEntry } from '../../integrations/index.ts';
import {
  type Dataset,
  type Day,
  type Measure,
  measuresOf,
  nextPeriod,
  plusDays,
  providedDecimal,
  type Read,
  type ReadCoverage,
  type Reporting,
  sumOf,
} from '../definitions/index.ts';
import { type Figures, nameOf, type Slot } from '../publication/difference.ts';
import { isLate, type LateFigures } from '../publication/late-figures.ts';
import { periodsOf, type Purpose, type Work } from './read-rhythm.ts';
import type { StagedFact } from './staged-fact.ts';

/** What a provider's entry is kept as; undefined of what no measure stands for. */
export function factOf(read: Read, entries: readonly ReportEntry[]): StagedFact {
  const known = new Set(measuresOf(read).map(({ entry }) => entry));
  return entries.filter(({ measure }) => known.has(measure));
}

/** Values of series by period, from what items say: of several in one slot the sum, and no value where one has none. */
export function collectedFigures(
  read: Read,
  facts: readonly StagedFact[],
): { readonly figures: readonly Figures[]; readonly late: readonly LateFigures[] } {
  const measures = new Map(measuresOf(read).map((measure) => [measure.entry, measure]));
  const figures = new Map<string, Figures & { readonly slots: Map<Day, Slot> }>();
  const late = new Map<string, LateFigures & { readonly slots: Map<Day, Slot> }>();
  for (const fact of facts) {
    const listedOn = fact[0]?.period;
    for (const entry of fact) {
      const measure = measures.get(entry.measure);
      if (!measure || listedOn === undefined) continue;
      const name = { measure: measure.key, ...placeOf(measure, entry) };
      if (isLate(read.dataset, measure.key)) {
        const key = `${nameOf(name)} ${listedOn}`;
        const { currency } = name;
        if (!late.has(key)) late.set(key, { measure: measure.key, currency, listedOn, slots: new Map() });
        add(late.get(key)!.slots, entry);
      } else {
        const key = nameOf(name);
        if (!figures.has(key)) figures.set(key, { ...name, slots: new Map() });
        add(figures.get(key)!.slots, entry);
      }
    }
  }
  return { figures: [...figures.values()], late: [...late.values()] };
}

/** Without a currency, or a value of the cut, an entry says only why all of the measure's series have none. */
function placeOf({ perCurrency, cut }: Measure, entry: ReportEntry) {
  return {
    currency: perCurrency ? (entry.currency ?? null) : null,
    cut: cut ? (entry.cut ?? null) : null,
  };
}

function add(slots: Map<Day, Slot>, entry: ReportEntry): void {
  const before = slots.get(entry.period);
  slots.set(entry.period, before ? joined(before, slotOf(entry)) : slotOf(entry));
}

function slotOf({ value, reason }: ReportEntry): Slot {
  if (value === null) return { value: null, reason: reason ?? 'missing_value' };
  const decimal = providedDecimal(value);
  return decimal === undefined ? { value: null, reason: 'non_numeric' } : { value: decimal, reason: null };
}

function joined(one: Slot, other: Slot): Slot {
  const reason = one.reason ?? other.reason;
  return reason === null ? { value: sumOf([one.value!, other.value!]), reason } : { value: null, reason };
}

/** What is known of a collection when its pages are over. */
export interface Collected {
  readonly work: Pick<Work, 'from' | 'to'> & { readonly purpose: Purpose };
  /** The first day that was read whole; null where all of the window was. */
  readonly wholeFrom: Day | null;
  readonly startedAt: string;
  readonly timezone: string;
  readonly reporting: Reporting | null;
}

/**
 * How far the periods of a window were read. A period that was not over as the collection began is read in part; what was
 * listed before a page cap is not read, and history goes on there.
 */
export function collectedCoverage(read: Read, collected: Collected): readonly ReadCoverage[] {
  const { work, wholeFrom, startedAt, timezone, reporting } = collected;
  const begun = Temporal.Instant.from(startedAt);
  const endOf = (period: Day) =>
    Temporal.PlainDate.from(nextPeriod(read.grain, period)).toZonedDateTime(timezone).toInstant();
  return periodsOf(read, work).flatMap((periodStart): readonly ReadCoverage[] => {
    const end = endOf(periodStart);
    const isOver = Temporal.Instant.compare(end, begun) <= 0;
    const provisional = Temporal.Instant.compare(end.add({ hours: read.lagHours }), begun) > 0;
    const row = { periodStart, provisional, collectedAt: startedAt, reporting };
    if (wholeFrom === null || periodStart >= wholeFrom)
      return [{ ...row, status: isOver ? 'complete' : 'partial', reason: null }];
    // History goes on where it was cut, but for a day that is too much for a collection.
    const isPassed = wholeFrom >= work.to && periodStart === plusDays(work.to, -1);
    if (work.purpose === 'history' && goesOn(read.dataset) && !isPassed) return [];
    return [{ ...row, status: 'none', reason: read.dataset === 'documents' ? 'not_retained' : 'truncated' }];
  });
}

/** Documents that are gone cannot be read later; what a cap left out can. */
function goesOn(dataset: Dataset): boolean {
  return dataset !== 'documents';
}
