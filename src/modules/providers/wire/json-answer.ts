/** What an answer may hold at most. */
export interface JsonBounds {
  readonly depth: number;
  /** Of any kind, on all levels. */
  readonly values: number;
}

/** Of what is handed on; walking so much takes some ten milliseconds. */
const HANDED_ON: JsonBounds = { depth: 64, values: 20_000 };
/** Of a list, of which one tool too deep to be offered is to cost no other. */
export const LISTED: JsonBounds = { depth: 1_000, values: 200_000 };
/** Numbers of so many digits, or with such exponents, may be ones that a double cannot hold. */
const LONG_NUMBER = /\d{16}|[eE]\+?\d{2}/;

/** An answer that is no JSON, or nested beyond what is read. */
export class UnreadableJson extends Error {}

/** An answer of more values than are read. */
export class TooManyValues extends Error {}

/** Parses an answer; numbers that a double cannot hold become text, since they would silently be others. */
export function parseAnswer(text: string, bounds: JsonBounds = HANDED_ON): unknown {
  requireWithin(text, bounds);
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, withExactNumbers) : JSON.parse(text);
  } catch {
    throw new UnreadableJson('The answer is no JSON.');
  }
}

function withExactNumbers(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  // However it is spelled: whole numbers of that size lose digits.
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : (context?.source ?? '');
}

/** Looks at the text, so that nothing is built of what is too deep or too much: each value is an opening or follows a comma. */
function requireWithin(text: string, bounds: JsonBounds): void {
  let [depth, values] = [0, 1];
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      values += 1;
      if (depth > bounds.depth) throw new UnreadableJson('The answer is nested too deeply.');
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    else if (code === COMMA) values += 1;
  }
  if (values > bounds.values) throw new TooManyValues(`The answer has more than ${bounds.values} values.`);
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
