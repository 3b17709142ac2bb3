import { countsByDay, type HourField, hourField, wallTimes } from './cron-expression.ts';
import { type ZonePeriod, zonePeriods } from './zone-periods.ts';

const HOUR_MS = 3_600_000;
/** Where the library stops, and so the walk along zones that change their clock for ever. */
const END_MS = Date.UTC(3_000, 0, 1);

/** An expression in its normal form, and the zone whose clock it is of. */
interface CronRule {
  readonly expression: string;
  readonly timezone: string;
}

// Slots follow the wall clock of the zone. What happens when that clock is changed goes by the field of hours:
//
// - Fixed hours, lists and ranges of them among these, fire once: a time that is shown twice at the first showing, a time
//   that is skipped at the next instant that exists, which is the end of the gap.
// - A wildcard follows elapsed time through the change: a time that is shown twice fires both times, and a time that is
//   skipped fires as long after the slot before it as if the clock had not been changed. `*` so fires in every hour that
//   passes. With `*/n` slots next to the change may be nearer to each other than n hours, and none is lost; all others
//   of the day stay at the hours of the clock that the expression names.
//
// In Berlin `0 */2 * * *` fires at 22:00, 00:00, 01:00, 03:00 UTC in October, and at 23:00, 01:00, 02:00 in March.
//
// No library that was tried keeps to both: of these slots `croner` 11 leaves out 01:00 UTC in March, `cron-parser` 5 leaves
// out 01:00 UTC in October and fires a fixed 02:30 half an hour behind the gap. So `croner` is asked without a zone.
//
// Where the clock is put back by other than whole hours (Lord Howe: 30 minutes), the hour that the old clock had begun is
// ended by the old clock too; else `0 * * * *` would pause for 90 minutes.
/** The slots of an expression after an instant, in ms, in order. */
export function* cronSlots(trigger: CronRule, after: number): Generator<number, undefined> {
  for (const { from, until, offset, listed } of stretches(trigger, after)) {
    if (listed) yield* listed;
    else for (const wall of wallTimes(trigger.expression, from + offset, until + offset)) yield wall - offset;
  }
}

/** How many slots there are after an instant, up to another one: numbers to add, each with an instant before its slots. */
export function* cronCounts(
  trigger: CronRule,
  after: number,
  last: number,
): Generator<{ readonly before: number; readonly count: number }, undefined> {
  for (const { from, until, offset, listed } of stretches(trigger, after)) {
    if (from > last) return;
    if (listed) {
      yield { before: from - 1, count: listed.filter((slot) => slot <= last).length };
      continue;
    }
    const end = Math.min(until, last + 1) + offset;
    for (const { midnight, count } of countsByDay(trigger.expression, from + offset, end))
      yield { before: Math.max(midnight - offset, from) - 1, count };
  }
}

/** Time in which slots are what one clock shows or, just after a change, those that are listed. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
  readonly listed: readonly number[] | undefined;
}

function* stretches({ expression, timezone }: CronRule, after: number): Generator<Stretch, undefined> {
  const hours = hourField(expression);
  for (const period of zonePeriods(timezone, after)) {
    const { until, offset } = period;
    if (period.from >= END_MS) return;
    const settled = settledAt(period);
    if (settled > after + 1) {
      const listed = slotsOfChange(expression, hours, period).filter((slot) => slot > after);
      yield { from: Math.max(period.from, after + 1), until: settled, offset, listed };
    }
    yield { from: Math.max(settled, after + 1), until, offset, listed: undefined };
  }
}

/** As long after a change as the clock was moved by: what it skipped would have been shown, what it repeats has been. */
function settledAt({ from, until, offset, offsetBefore }: ZonePeriod): number {
  return Math.min(from + Math.abs(offset - offsetBefore), until);
}

/** The slots from a change until the clock has settled, in order. */
function slotsOfChange(expression: string, hours: HourField, period: ZonePeriod): number[] {
  const { from, offset, offsetBefore } = period;
  const moved = offset - offsetBefore;
  const settled = settledAt(period);
  const byClock = (of: number) => [...wallTimes(expression, from + of, settled + of)].map((wall) => wall - of);
  if (hours === 'fixed') {
    if (moved < 0) return [];
    const skips = !wallTimes(expression, from + offsetBefore, from + offset).next().done;
    return inOrder(skips ? [from] : [], byClock(offset));
  }
  const oldCounts = moved > 0 || (hours === 'every' && moved % HOUR_MS !== 0);
  return inOrder(oldCounts ? byClock(offsetBefore) : [], byClock(offset));
}

function inOrder(...slots: readonly number[][]): number[] {
  return [...new Set(slots.flat())].toSorted((a, b) => a - b);
}
