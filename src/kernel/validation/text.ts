const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

/** Length as the API counts it: Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Text that PostgreSQL and JSON can both hold: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The text with a replacement character (U+FFFD) for what PostgreSQL and JSON cannot both hold. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Offsets up to ±14:59: no zone has more, and PostgreSQL takes less than Temporal. */
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):\d{2})$/;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const END_MS = Date.parse('+010000-01-01T00:00:00Z');

/** An ISO 8601 date-time with a zone, at most microseconds, that exists in the calendar, of the years 1 to 9999 in UTC. */
export function isTimestamp(text: string): boolean {
  if (!ISO_INSTANT.test(text)) return false;
  try {
    const { epochMilliseconds } = Temporal.Instant.from(text);
    return epochMilliseconds >= FIRST_MS && epochMilliseconds < END_MS;
  } catch {
    return false;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Lowercase alphanumeric segments joined by single hyphens, at most 100 characters. One that has the form of a UUID is none, so that a UUID-shaped reference is always an id. */
export function isSlug(text: string): boolean {
  return text.length <= 100 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && !isUuid(text);
}

/** Trimmed, inner white space collapsed, Unicode NFC. */
export function normalizeName(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/gu, ' ');
}
