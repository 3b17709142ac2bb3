/**
 * Guarantees: ids made by the application are UUIDv7, so that they grow with time and indexes stay compact.
 * Refuses: nothing; ids that clients make may be of any UUID version and are checked by `@Uuid()`.
 */
import { randomUUIDv7 } from 'node:crypto';

export function newId(): string {
  return randomUUIDv7();
}
