import pg from 'pg';

/**
 * How values are read from the database: timestamps as ISO 8601 text with six digits and `Z` (a JavaScript Date keeps
 * three and would cause false conflicts of `expectedUpdatedAt`), 64-bit integers as numbers (all of ours are below
 * 2^53).
 */
export const valueTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return PARSERS.get(oid) ?? (pg.types.getTypeParser(oid, format) as (text: string) => unknown);
  },
};

type Parser = (text: string) => unknown;

const { builtins } = pg.types;
const PARSERS = new Map<number, Parser>([
  [builtins.TIMESTAMPTZ, isoTimestamp],
  [builtins.INT8, Number],
  [builtins.DATE, (text) => text],
  [builtins.JSONB, parseJson],
]);

/** The parser that `pg` returns for types that it leaves as text. */
const LEFT_AS_TEXT: unknown = pg.types.getTypeParser(builtins.TEXT);

/** The parser for a column's text; undefined where the text is the value. */
export function parserOf(oid: number): Parser | undefined {
  const parser = valueTypes.getTypeParser(oid, 'text') as Parser;
  return parser === LEFT_AS_TEXT ? undefined : parser;
}

/** Parses JSON; skips the parser for empty lists, which are common. */
function parseJson(text: string): unknown {
  return text === '[]' ? [] : JSON.parse(text);
}

/** Converts `2026-03-01 09:30:00.5+00` to `2026-03-01T09:30:00.500000Z`. */
export function isoTimestamp(text: string): string {
  if (text.length === SIX_DIGITS && text.endsWith('+00')) return `${text.slice(0, 10)}T${text.slice(11, 26)}Z`;
  if (!text.endsWith('+00')) return fromAnyZone(text);
  const [seconds = '', fraction = ''] = text.slice(11, -3).split('.');
  return `${text.slice(0, 10)}T${seconds}.${fraction.padEnd(6, '0')}Z`;
}

/** The length of nine timestamps in ten; the others are shorter, because the server omits trailing zeros. */
const SIX_DIGITS = '2026-03-01 09:30:00.123456+00'.length;

/** Converts from any zone. Sessions run in UTC unless a deployment's login role sets another zone. */
function fromAnyZone(text: string): string {
  const zone = /([+-]\d{2})(?::?(\d{2}))?$/.exec(text);
  if (!zone) return text; // infinity
  const local = text.slice(0, zone.index).replace(' ', 'T');
  return Temporal.Instant.from(`${local}${zone[1]}:${zone[2] ?? '00'}`).toString({ fractionalSecondDigits: 6 });
}
