import type { Attribution, DayRange, Reporting, Sampling, Truncation } from './coverage.ts';

/** What providers said of how they counted, in a form that merges in any order to the same. */
export interface ReportingSum extends Omit<Reporting, 'timezone' | 'accountTimezone' | 'attribution'> {
  /** Null where parts differ; then nothing is told. */
  readonly timezone?: string | null;
  readonly accountTimezone?: string | null;
  /** As JSON text. */
  readonly attribution?: string | null;
}

export function sumOfReporting(reporting: Reporting): ReportingSum {
  const { attribution, truncation, ...rest } = reporting;
  return {
    ...rest,
    ...(attribution ? { attribution: textOf(attribution) } : {}),
    ...(truncation ? { truncation: united(truncation) } : {}),
  };
}

export function mergeReporting(one: ReportingSum | null, other: ReportingSum | null): ReportingSum | null {
  if (one === null || other === null) return one ?? other;
  if (one === other && !one.sampling) return one;
  return {
    ...merged('timezone', one, other, same),
    ...merged('accountTimezone', one, other, same),
    ...merged('lagHours', one, other, Math.max),
    ...merged('computedAt', one, other, (a, b) => (a < b ? a : b)),
    ...merged('cached', one, other, or),
    ...merged('attribution', one, other, same),
    ...merged('approximateDistinct', one, other, or),
    ...merged('thresholded', one, other, or),
    ...merged('dataLossFromOtherRow', one, other, or),
    ...merged('sampling', one, other, added),
    ...merged('eventRetentionMonths', one, other, Math.min),
    ...merged('userRetentionMonths', one, other, Math.min),
    ...merged('truncation', one, other, (a, b) => united([...a, ...b])),
  };
}

/** Without what differs, and without what is empty; null where nothing is left. */
export function reportingTold(sum: ReportingSum): Reporting | null {
  const { attribution, ...rest } = sum;
  const told = Object.entries(rest).filter(
    ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  if (typeof attribution === 'string') told.push(['attribution', JSON.parse(attribution)]);
  return told.length === 0 ? null : (Object.fromEntries(told) as Reporting);
}

/** What an adapter gave, without its empty members; null where nothing is left. */
export function reportingGiven(given: Readonly<Record<string, unknown>> | null | undefined): Reporting | null {
  return given ? reportingTold(sumOfReporting(withoutNulls(given))) : null;
}

/** What two answers tell together. */
export function reportingTogether(one: Reporting | null, other: Reporting | null): Reporting | null {
  if (one === null || other === null) return one ?? other;
  return reportingTold(mergeReporting(sumOfReporting(one), sumOfReporting(other))!);
}

function withoutNulls(given: Readonly<Record<string, unknown>>): Reporting {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

type Told<Key extends keyof ReportingSum> = NonNullable<ReportingSum[Key]>;

function merged<Key extends keyof ReportingSum>(
  key: Key,
  one: ReportingSum,
  other: ReportingSum,
  merge: (a: Told<Key>, b: Told<Key>) => ReportingSum[Key],
): Partial<ReportingSum> {
  const [a, b] = [one[key], other[key]];
  if (a === undefined && b === undefined) return {};
  if (a === undefined || b === undefined) return { [key]: a === undefined ? b : a };
  return { [key]: a === null || b === null ? null : merge(a as Told<Key>, b as Told<Key>) };
}

function same(one: string, other: string): string | null {
  return one === other ? one : null;
}

function or(one: boolean, other: boolean): boolean {
  return one || other;
}

/** One sampling of everything: what was read, and of how much. */
function added(one: readonly Sampling[], other: readonly Sampling[]): readonly Sampling[] {
  const all = [...one, ...other];
  if (all.length === 0) return [];
  const total = (amounts: readonly string[]) => String(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n));
  return [{ read: total(all.map(({ read }) => read)), population: total(all.map(({ population }) => population)) }];
}

/** Ranges of each type, in their order, with those that touch as one, behind the latest of the days before which all is gone. */
function united(truncations: readonly Truncation[]): readonly Truncation[] {
  const types = [...new Set(truncations.map(({ type }) => type))].toSorted();
  return types.map((type) => {
    const ofType = truncations.filter((each) => each.type === type);
    const before =
      ofType
        .flatMap((each) => each.before ?? [])
        .toSorted()
        .at(-1) ?? null;
    return { type, before, ranges: unitedRanges(ofType.flatMap(({ ranges }) => ranges)) };
  });
}

function unitedRanges(ranges: readonly DayRange[]): readonly DayRange[] {
  const inOrder = ranges.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const all: DayRange[] = [];
  for (const range of inOrder) {
    const last = all.at(-1);
    if (last && range.from <= last.to)
      all[all.length - 1] = { from: last.from, to: last.to > range.to ? last.to : range.to };
    else all.push(range);
  }
  return all;
}

function textOf({ model, windows, reportTime, conversionEvent }: Attribution): string {
  return JSON.stringify({ model, windows, reportTime, conversionEvent });
}
