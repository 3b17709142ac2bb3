import { failed } from '../wire/index.ts';

/** A string of the store whose bytes are no UTF-8. */
export interface Binary {
  readonly binary: true;
  readonly bytes: number;
}
export type Stored = string | Binary;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A string, which comes in base64 but where it is the word that says that all went well. */
export function stored(value: unknown): Stored {
  if (value === 'OK') return value;
  if (typeof value !== 'string' || !BASE64.test(value)) throw unreadable();
  const bytes = Buffer.from(value, 'base64');
  try {
    return decoder.decode(bytes);
  } catch {
    return { binary: true, bytes: bytes.length };
  }
}

export function storedOrNone(value: unknown): Stored | null {
  return value === null ? null : stored(value);
}

/** A string that the store itself words, such as a type. */
export function word(value: unknown): string {
  const text = stored(value);
  if (typeof text !== 'string') throw unreadable();
  return text;
}

/** An integer; text of digits beyond what a number holds exactly. */
export function integer(value: unknown): number | string {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === 'string' && /^-?\d{16,20}$/.test(value)) return value;
  throw unreadable();
}

export function integerOrNone(value: unknown): number | string | null {
  return value === null ? null : integer(value);
}

/** A score, exact as the store writes it. */
export function score(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return word(value);
}

export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unreadable();
  return value;
}

/** What comes as one list, two by two. */
export function pairs<T>(value: unknown, read: (first: unknown, second: unknown) => T): readonly T[] {
  const all = list(value);
  if (all.length % 2 !== 0) throw unreadable();
  return Array.from({ length: all.length / 2 }, (_, at) => read(all[2 * at], all[2 * at + 1]));
}

/** What a scan answers: where it goes on, and what it found. */
export function scanned(value: unknown): { readonly cursor: string; readonly found: unknown } {
  const [at, found, ...others] = list(value);
  const cursor = typeof at === 'number' ? String(at) : word(at);
  if (!/^\d{1,20}$/.test(cursor) || others.length > 0) throw unreadable();
  return { cursor, found };
}

function unreadable() {
  return failed('bad_answer', { status: 200 });
}
