import type { DispatchStop } from '../organizations/index.ts';
import type { SkipReason } from './schedule.state.ts';
import { slotsAfter, type Trigger } from './schedule-trigger.ts';

/** How many of the slots that nothing took are recorded, the newest of them. */
const RECORDED = 100;

export interface PassedSlots {
  /** The first slot in the future; null when there is none. */
  readonly next: string | null;
  /** Slots between the one that fires now and `next`. */
  readonly missedCount: number;
  readonly newestMissed: readonly string[];
}

/** What lies behind a slot that is due, up to now. */
export function slotsPassed(trigger: Trigger, slot: string, now: string): PassedSlots {
  const newest: string[] = [];
  let missedCount = 0;
  // What fires once has fired with this slot, also where somebody had put that before its time.
  if (trigger.kind === 'once') return { next: null, missedCount, newestMissed: newest };
  for (const later of slotsAfter(trigger, slot)) {
    if (later > now) return { next: later, missedCount, newestMissed: newest };
    missedCount += 1;
    newest.push(later);
    if (newest.length > RECORDED) newest.shift();
  }
  return { next: null, missedCount, newestMissed: newest };
}

/** Why nothing took a slot that has passed. */
export function missedReason(slot: string, stops: readonly DispatchStop[]): SkipReason {
  const stopped = stops.some(({ from, until }) => (from === null || from <= slot) && slot <= until);
  return stopped ? 'dispatch_stopped' : 'missed';
}
