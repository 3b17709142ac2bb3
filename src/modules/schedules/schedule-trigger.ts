import { Cron } from 'croner';

/** When a schedule fires. Times are ISO 8601 in UTC with six digits, so that they sort as text. */
export type Trigger =
  | { readonly kind: 'interval'; readonly everyMinutes: number; readonly timezone: string }
  | { readonly kind: 'cron'; readonly expression: string; readonly timezone: string }
  | { readonly kind: 'once'; readonly at: string };

/**
 * The first slot after an instant, null where there is none. `phase` is any slot of an interval, whose slots are all
 * multiples of it away; without one the first interval begins at `after`.
 *
 * A cron expression follows the wall clock of its zone: a time that the clock skips fires at the next instant that
 * exists, which is the end of the gap, and one that it shows twice fires at the first of the two.
 */
export function nextSlot(trigger: Trigger, after: string, phase: string = after): string | null {
  return slotsAfter(trigger, after, phase).next().value ?? null;
}

/** All slots after an instant, in order; endless but for `once` and expressions that run out. */
export function slotsAfter(trigger: Trigger, after: string, phase: string = after): Generator<string, undefined> {
  switch (trigger.kind) {
    case 'interval':
      return intervalSlots(trigger.everyMinutes, after, phase);
    case 'cron':
      return cronSlots(trigger, after);
    case 'once':
      return onceSlot(trigger.at, after);
  }
}

/** The one form in which instants are compared and kept. */
export function instantText(instant: string | Temporal.Instant): string {
  return Temporal.Instant.from(instant).toString({ fractionalSecondDigits: 6 });
}

/** Five fields in the usual form, one space between them; undefined where it is none, or never comes due. */
export function normalizeExpression(text: string): string | undefined {
  const expression = text.trim().replace(/\s+/g, ' ').toUpperCase();
  // Croner would read `?` as the moment at which it reads it, and nicknames, which have one field.
  if (!/^[0-9A-Z*,/#-]+( [0-9A-Z*,/#-]+){4}$/.test(expression)) return undefined;
  try {
    return wallClock(expression).nextRun(new Date(0)) === null ? undefined : expression;
  } catch {
    return undefined;
  }
}

function* onceSlot(at: string, after: string): Generator<string, undefined> {
  const slot = instantText(at);
  if (slot > instantText(after)) yield slot;
}

function* intervalSlots(everyMinutes: number, after: string, phase: string): Generator<string, undefined> {
  const step = BigInt(everyMinutes) * 60_000_000_000n;
  const start = Temporal.Instant.from(phase).epochNanoseconds;
  const passed = Temporal.Instant.from(after).epochNanoseconds - start;
  // Rounded down for a phase in the future too, which BigInt division alone would round up.
  const steps = passed / step - (passed % step < 0n ? 1n : 0n);
  for (let slot = start + (steps + 1n) * step; ; slot += step)
    yield instantText(Temporal.Instant.fromEpochNanoseconds(slot));
}

function* cronSlots(
  { expression, timezone }: { readonly expression: string; readonly timezone: string },
  after: string,
): Generator<string, undefined> {
  const clock = wallClock(expression);
  let last = Temporal.Instant.from(after);
  let wall: Date | null = asUtc(last.toZonedDateTimeISO(timezone).toPlainDateTime());
  while ((wall = clock.nextRun(wall))) {
    const slot = instantOf(wall, timezone);
    // Several times of one gap are one slot, and so are the second and the first showing of a time.
    if (Temporal.Instant.compare(slot, last) <= 0) continue;
    last = slot;
    yield instantText(slot);
  }
}

/**
 * Matches wall times, held as if they were UTC, so that the library knows no zone: it would skip what a wildcard matches
 * inside a gap, and fire twice when the clock is put back. (Measured: with the offset 0 3 µs a time, with the zone UTC 31.)
 */
function wallClock(expression: string): Cron {
  return new Cron(expression, { mode: '5-part', utcOffset: 0, paused: true });
}

function asUtc(wall: Temporal.PlainDateTime): Date {
  return new Date(wall.toZonedDateTime('UTC').epochMilliseconds);
}

function instantOf(wallAsUtc: Date, timezone: string): Temporal.Instant {
  const wall = Temporal.Instant.fromEpochMilliseconds(wallAsUtc.getTime()).toZonedDateTimeISO('UTC').toPlainDateTime();
  const earlier = wall.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  // Of a time inside a gap it is one before the gap, whose end is the next change of the zone's offset.
  const skipped = !earlier.toPlainDateTime().equals(wall);
  return (skipped ? (earlier.getTimeZoneTransition('next') ?? earlier) : earlier).toInstant();
}
