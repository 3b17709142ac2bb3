const HIGH_SURROGATE = /[\uD800-\uDBFF]/;

/** Length as the API counts it: Unicode code points, not UTF-16 units. */
export function codePoints(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Whether PostgreSQL and JSON can both hold a text: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** The text with U+FFFD in place of what PostgreSQL and JSON cannot both hold. */
export function storable(text: string): string {
  return isStorable(text) ? text : text.replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Offsets up to ±14:59: no zone has more, and PostgreSQL accepts fewer than Temporal. */
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-4]):\d{2})$/;
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const END_MS = Date.parse('+010000-01-01T00:00:00Z');

/**
 * Whether a text is an ISO 8601 date-time with a zone and at most microseconds that exists in the calendar, in the
 * years 1 to 9999 in UTC.
 */
export function isTimestamp(text: string): boolean {
  return ISO_INSTANT.test(text) && instantOf(text) !== undefined;
}

/** What RFC 3339 allows: any number of fraction digits, either case, and (ISO 8601) no seconds. */
const RFC_INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Converts an instant of RFC 3339 to the form that the database and `isTimestamp` take, without digits after the sixth;
 * leaves other text unchanged. A leap second becomes the second before it, as in ECMAScript.
 */
export function normalizeInstant(text: string): string {
  if (ISO_INSTANT.test(text)) return text;
  const [, date, time, seconds = '00', fraction = '0', zone] = RFC_INSTANT.exec(text) ?? [];
  if (!zone) return text;
  const instant = instantOf(`${date}T${time}:${seconds}.${fraction}${zone.toUpperCase()}`);
  return instant?.toString({ fractionalSecondDigits: 6 }) ?? text;
}

function instantOf(text: string): Temporal.Instant | undefined {
  try {
    const instant = Temporal.Instant.from(text);
    const { epochMilliseconds } = instant;
    return epochMilliseconds >= FIRST_MS && epochMilliseconds < END_MS ? instant : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text has a visible character: not only white space, controls, joiners, fillers and direction marks. */
export function isVisible(text: string): boolean {
  return /[^\p{White_Space}\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/** Controls but tab and newline: nobody sees them, and a terminal obeys them. */
const CONTROL = /(?![\t\n]|\r\n)\p{Cc}/u;

export function hasControls(text: string): boolean {
  return CONTROL.test(text);
}

/** Characters that change the order in which others are shown; scripts that are written from the right need none of them. */
const REORDERING = /[\u202A-\u202E\u2066-\u2069]/gu;
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text with `\u{…}` in place of what would show `00.1$` as `$1.00`; joiners of emoji and letters stay. */
export function escapeReordering(text: string): string {
  return text.replaceAll(REORDERING, escaped);
}

/** The text with `\u{…}` in place of all that cannot be seen but newlines, for texts that must be shown as they are sent. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, escaped);
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Whether a text is lowercase alphanumeric segments joined by single hyphens, at most 100 characters. A UUID is not a
 * slug, so that a reference in that form is always an id.
 */
export function isSlug(text: string): boolean {
  return text.length <= 100 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && !isUuid(text);
}

/** Most code units for one NFC character, which may be sent as a letter with several combining marks. */
const MARKS_A_CHARACTER = 8;

/**
 * Trims, collapses inner white space, and normalises to Unicode NFC. Does not normalise a text that is too long for
 * `max` characters in any form, because that takes time quadratic in the marks on one letter (measured: 54 s for
 * 240,000).
 */
export function normalizeName(name: string, max: number): string {
  const collapsed = name.trim().replace(/\s+/gu, ' ');
  return collapsed.length > max * MARKS_A_CHARACTER ? collapsed : collapsed.normalize('NFC');
}
