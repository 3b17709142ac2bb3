/** Deepest nesting of an answer that is read. */
const MOST_DEPTH = 64;
/** Numbers of so many digits, or with such exponents, may be ones that a double cannot hold. */
const LONG_NUMBER = /\d{16}|[eE]\+?\d{3}/;

/** An answer that is no JSON, or nested beyond what is read. */
export class UnreadableJson extends Error {}

/** Parses an answer; numbers that a double cannot hold become text, since they would silently be others. */
export function parseAnswer(text: string): unknown {
  if (isDeeperThan(text, MOST_DEPTH)) throw new UnreadableJson('The answer is nested too deeply.');
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, withExactNumbers) : JSON.parse(text);
  } catch {
    throw new UnreadableJson('The answer is no JSON.');
  }
}

function withExactNumbers(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return !Number.isFinite(value) || /^-?\d+$/.test(source) ? source : value;
}

/** Looks at the text, so that nothing is built of what is too deep. */
function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
