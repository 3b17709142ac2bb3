import { cronSlots } from './cron/cron-slots.ts';

export interface IntervalTrigger {
  readonly kind: 'interval';
  readonly everyMinutes: number;
  readonly timezone: string;
}
export interface CronTrigger {
  readonly kind: 'cron';
  readonly expression: string;
  readonly timezone: string;
}
export interface OnceTrigger {
  readonly kind: 'once';
  readonly at: string;
}

/** When a schedule fires. Times are ISO 8601 in UTC with six digits, so that they sort as text. */
export type Trigger = IntervalTrigger | CronTrigger | OnceTrigger;

/**
 * The first slot after an instant, null where there is none. `phase` is any slot of an interval, whose slots are all
 * multiples of it away; without one the first interval begins at `after`.
 */
export function nextSlot(trigger: Trigger, after: string, phase: string = after): string | null {
  return slotsAfter(trigger, after, phase).next().value ?? null;
}

/** All slots after an instant, in order: intervals up to the year 9999, behind which no text sorts, cron up to 2999. */
export function slotsAfter(trigger: Trigger, after: string, phase: string = after): Generator<string, undefined> {
  switch (trigger.kind) {
    case 'interval':
      return intervalSlots(trigger, after, phase);
    case 'cron':
      return textsOf(cronSlots(trigger, millisecondsOf(after)));
    case 'once':
      return onceSlot(trigger.at, after);
  }
}

/** The one form in which instants are compared and kept. */
export function instantText(instant: string | Temporal.Instant): string {
  // Of more digits than Temporal takes those count that the database keeps; none of them is rounded up.
  const text = typeof instant === 'string' ? instant.replace(/([.,]\d{6})\d+/, '$1') : instant;
  return Temporal.Instant.from(text).toString({ fractionalSecondDigits: 6 });
}

/** In whole ms, rounded down: slots of cron are, so that one is after an instant if it is after this. */
export function millisecondsOf(instant: string): number {
  return Temporal.Instant.from(instant).epochMilliseconds;
}

export function millisecondsText(milliseconds: number): string {
  return instantText(Temporal.Instant.fromEpochMilliseconds(milliseconds));
}

/** How many steps of an interval lie between one of its slots and a later instant. */
export function stepsBetween({ everyMinutes }: IntervalTrigger, slot: string, until: string): number {
  return Number((nanosecondsOf(until) - nanosecondsOf(slot)) / stepOf(everyMinutes));
}

export function stepsLater({ everyMinutes }: IntervalTrigger, slot: string, steps: number): string {
  return nanosecondsText(nanosecondsOf(slot) + BigInt(steps) * stepOf(everyMinutes));
}

function* onceSlot(at: string, after: string): Generator<string, undefined> {
  const slot = instantText(at);
  if (slot > instantText(after)) yield slot;
}

function* intervalSlots({ everyMinutes }: IntervalTrigger, after: string, phase: string): Generator<string, undefined> {
  const step = stepOf(everyMinutes);
  const start = nanosecondsOf(phase);
  const passed = nanosecondsOf(after) - start;
  // Rounded down for a phase in the future too, which BigInt division alone would round up.
  const steps = passed / step - (passed % step < 0n ? 1n : 0n);
  for (let slot = start + (steps + 1n) * step; slot < END_NS; slot += step) yield nanosecondsText(slot);
}

function* textsOf(slots: Iterable<number>): Generator<string, undefined> {
  for (const slot of slots) yield millisecondsText(slot);
}

const END_NS = BigInt(Date.UTC(10_000, 0, 1)) * 1_000_000n;

function stepOf(everyMinutes: number): bigint {
  return BigInt(everyMinutes) * 60_000_000_000n;
}

function nanosecondsOf(instant: string): bigint {
  return Temporal.Instant.from(instant).epochNanoseconds;
}

function nanosecondsText(nanoseconds: bigint): string {
  return instantText(Temporal.Instant.fromEpochNanoseconds(nanoseconds));
}
