import { type ApiError, EdgeIssues, invalid } from '../../errors/index.ts';
import { isStorable, storable } from '../../validation/index.ts';
import { pathAt, scanJson } from './json-scan.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** The position of a value; a chain, because its dotted path is needed only for an error. */
interface Position {
  readonly parent: Position | undefined;
  readonly key: string | number;
}

/**
 * Parses a JSON body; returns undefined for an empty one, and skips a byte order mark. Refuses (400, one issue) what
 * `JSON.parse` would accept, change silently or take long for: depth over 64, more than 200,000 values and keys,
 * integers beyond ±(2^53 − 1) and other numbers that would be rounded to an integer, NUL and lone surrogates, keys that
 * reach a prototype, and an object that names a key twice.
 *
 * With `mendsText`, mends text values that could not be stored (`storable`) instead of refusing them, for callers that
 * cannot send them again. Such keys are still refused.
 *
 * Measured for a body of 29 KB: 100 µs; `JSON.parse` alone costs 62 µs, and with a reviver several hundred.
 *
 * Does not use `secure-json-parse` (4.1), which refuses prototypes and nothing else of this, nor `lossless-json` (4.3),
 * which parses in JavaScript, takes seven times as long and accepts equal values under one key, any depth and such
 * text.
 */
export function parseStrictJson(body: string, { mendsText = false }: { readonly mendsText?: boolean } = {}): unknown {
  const text = body.startsWith(BYTE_ORDER_MARK) ? body.slice(1) : body;
  if (text === '') return undefined;
  const { members, roundedAt } = scanJson(text);
  const value = parse(text);
  if (roundedAt !== -1)
    throw invalid(
      pathAt(text, roundedAt),
      EdgeIssues.inexactNumber,
      'The number would be rounded to an integer; send it with fewer digits.',
    );
  // Without an escape there is no NUL (malformed JSON) and no lone surrogate (malformed UTF-8).
  const mayHideText = text.includes('\\u');
  if (mendsText && mayHideText) mendTexts(value);
  const kept = checkValue(value, mayHideText, '', undefined);
  if (members !== kept) throw invalid('', EdgeIssues.duplicateKey);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold a secret.
    throw invalid('', EdgeIssues.malformedJson);
  }
}

/** Checks a value and everything in it; returns how many members its objects have. */
function checkValue(value: unknown, mayHideText: boolean, key: string | number, parent: Position | undefined): number {
  if (typeof value === 'string') {
    if (mayHideText && !isStorable(value)) throw badText({ parent, key });
  } else if (typeof value === 'number') {
    if (!isExact(value)) {
      throw invalid(
        pathOf({ parent, key }),
        EdgeIssues.inexactNumber,
        'The number is too large to be kept exactly; send at most 2^53 - 1, or text.',
      );
    }
  } else if (Array.isArray(value)) {
    return checkArray(value, mayHideText, { parent, key });
  } else if (typeof value === 'object' && value !== null) {
    return checkObject(value as Record<string, unknown>, mayHideText, { parent, key });
  }
  return 0;
}

function checkArray(items: readonly unknown[], mayHideText: boolean, position: Position): number {
  let members = 0;
  for (let index = 0; index < items.length; index++) members += checkValue(items[index], mayHideText, index, position);
  return members;
}

function checkObject(object: Record<string, unknown>, mayHideText: boolean, position: Position): number {
  let members = 0;
  // `for…in` is several times faster than Object.keys here, and objects from JSON.parse inherit nothing enumerable.
  for (const key in object) {
    members++;
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') {
      throw invalid(pathOf({ parent: position, key }), EdgeIssues.forbiddenKey);
    }
    // The issue names the object, because the key itself cannot be quoted in a path.
    if (mayHideText && !isStorable(key)) throw badText(position);
    members += checkValue(object[key], mayHideText, key, position);
  }
  return members;
}

/** Mends the texts of a value in place. Its depth has been checked. */
function mendTexts(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string') (value as Record<string, unknown>)[key] = storable(inner);
    else mendTexts(inner);
  }
}

/**
 * Whether a number is kept. Fractions are approximations by nature; an integer is kept to its last digit or refused.
 */
function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

function badText(position: Position): ApiError {
  return invalid(pathOf(position), EdgeIssues.invalidText, 'Text must not contain NUL characters or lone surrogates.');
}

/** The dotted path, such as `entries.0.message`; empty for the whole body. */
function pathOf(position: Position): string {
  const keys: (string | number)[] = [];
  for (let at = position; at.parent; at = at.parent) keys.unshift(at.key);
  return keys.join('.');
}
