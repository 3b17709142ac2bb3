/**
 * Guarantees: ids made by the application are UUIDv7 that grow with time, and within one millisecond of a process in
 * the order in which they were made, so that lists by id are lists by creation and indexes stay compact.
 * Refuses: nothing. Ids that clients make may be of any UUID version; `@Uuid()` checks them.
 */
import { randomInt, randomUUIDv7 } from 'node:crypto';

/** The milliseconds of the last id, as text. */
let last = '';
let counter = 0;

export function newId(): string {
  const id = randomUUIDv7();
  const time = id.slice(0, 13);
  // The 12 bits after the time count up within a millisecond (RFC 9562, 6.2); a random start in their lower half leaves
  // room.
  counter = time === last ? (counter + 1) & 0xfff : randomInt(0x800);
  last = time;
  return `${time}-7${counter.toString(16).padStart(3, '0')}${id.slice(18)}`;
}

/** About when an id of ours was made, plus `laterMs`, as ISO 8601; an arbitrary time for an id of another version. */
export function timeOfId(id: string, laterMs = 0): string {
  const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + laterMs;
  return new Date(Math.min(milliseconds, LATEST_MS)).toISOString();
}

/** The end of the year 9999, after which ISO 8601 needs more digits. */
const LATEST_MS = 253_402_300_799_000;

/** Sorts before the first row of a walk by ids. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
