import { EdgeIssues, invalid } from '../../errors/index.ts';
import { isKept } from './json-number.ts';

const MAX_DEPTH = 64;
/**
 * Most values, lists, objects and keys of one body. Any JSON of 256 KiB, the largest free-form field, has fewer.
 * (Measured for a megabyte of 80,000 objects with one key each, the most expensive to parse: 175 ms and 30 MB.)
 */
const MAX_PARTS = 200_000;

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];
const [LARGE_E, SMALL_E] = [0x45, 0x65];

export interface Scanned {
  /** Number of members of all objects, as written. */
  readonly members: number;
  /** Index of a number that would be rounded to an integer; -1 for none. */
  readonly roundedAt: number;
}

/**
 * Scans the text of a body before it is parsed, in time and memory that do not depend on its content. Refuses what
 * would be expensive to parse or to walk: depth, and the number of parts. Its findings hold only for well-formed text;
 * whether the text is well-formed, the parser decides. (No package was found that scans without making tokens or
 * values.)
 */
export function scanJson(text: string): Scanned {
  let members = 0;
  let others = 0;
  let depth = 0;
  let roundedAt = -1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COLON:
        members++;
        break;
      case COMMA:
        others++;
        break;
      case LIST:
      case OBJECT:
        others++;
        if (++depth > MAX_DEPTH)
          throw invalid('', EdgeIssues.tooDeep, `The body is nested deeper than ${MAX_DEPTH} levels; flatten it.`);
        break;
      case LIST_END:
      case OBJECT_END:
        depth--;
        break;
      case POINT:
      case LARGE_E:
      case SMALL_E:
        // An `e` of `true` or `false` belongs to no number.
        if (!isDigit(text.charCodeAt(at - 1))) break;
        if (roundedAt === -1 && !isKeptAt(text, at)) roundedAt = startOfNumber(text, at);
        at = endOfNumber(text, at) - 1;
        break;
      default:
    }
  }
  if (members + others > MAX_PARTS)
    throw invalid(
      '',
      EdgeIssues.tooManyValues,
      `The body holds more than ${MAX_PARTS} values and keys; send less at once.`,
    );
  return { members, roundedAt };
}

/** The dotted path of the value that begins at an index of a well-formed text. */
export function pathAt(text: string, place: number): string {
  const keys: (number | string)[] = [];
  let string = '';
  for (let at = 0; at < place; at++) {
    const start = at;
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        string = text.slice(start, at + 1);
        break;
      case COLON:
        keys[keys.length - 1] = string;
        break;
      case COMMA:
        if (typeof keys.at(-1) === 'number') (keys[keys.length - 1] as number)++;
        break;
      case LIST:
        keys.push(0);
        break;
      case OBJECT:
        keys.push('""');
        break;
      case LIST_END:
      case OBJECT_END:
        keys.pop();
        break;
      default:
    }
  }
  return keys.map((key) => (typeof key === 'number' ? key : (JSON.parse(key) as string))).join('.');
}

/** Index of the closing quote of the string that begins at `start`; the text's length if it is not closed. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/**
 * Whether the number whose point or exponent is at `at` keeps its value. A number of at most 15 digits with a two-digit
 * exponent does, without being read: doubles keep numbers of 15 digits apart.
 */
function isKeptAt(text: string, at: number): boolean {
  const [start, end] = [startOfNumber(text, at), endOfNumber(text, at)];
  let exponentAt = at;
  while (exponentAt < end && !isExponent(text.charCodeAt(exponentAt))) exponentAt++;
  return (end - start <= 16 && end - exponentAt <= 4) || isKept(text.slice(start, end));
}

function startOfNumber(text: string, at: number): number {
  let start = at;
  while (isOfNumber(text.charCodeAt(start - 1))) start--;
  return start;
}

/** Index after the number's last character. */
function endOfNumber(text: string, at: number): number {
  let end = at + 1;
  while (isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === POINT || code === MINUS || code === PLUS || isExponent(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isExponent(code: number): boolean {
  return code === LARGE_E || code === SMALL_E;
}
