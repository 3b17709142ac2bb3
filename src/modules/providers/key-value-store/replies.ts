import { failed } from '../wire/index.ts';

/** A string of the store whose bytes are no UTF-8. */
export interface Binary {
  readonly binary: true;
  readonly bytes: number;
}
export type Stored = string | Binary;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WORD = /^[\w.+-]{1,64}$/;
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

/** A word or id that the store itself makes, such as a type; nothing that somebody stored. */
export function word(value: unknown): string {
  const text = stored(value);
  if (typeof text !== 'string' || !WORD.test(text)) throw unreadable();
  return text;
}

/** An integer; text of digits beyond what a number holds exactly. */
export function integer(value: unknown): number | string {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === 'string' && /^-?\d{16,20}$/.test(value)) return value;
  throw unreadable();
}

/** How many there are of something. */
export function count(value: unknown): number | string {
  const found = integer(value);
  if (Number(found) < 0) throw unreadable();
  return found;
}

export function countOrNone(value: unknown): number | string | null {
  return value === null ? null : count(value);
}

/** Whether something is so, which the store says by 1 and 0. */
export function flag(value: unknown): boolean {
  if (value !== 0 && value !== 1) throw unreadable();
  return value === 1;
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

/** A value for each of so many. */
export function listOf(length: number, value: unknown): readonly unknown[] {
  const all = list(value);
  if (all.length !== length) throw unreadable();
  return all;
}

/** No more than were asked for. */
export function atMost(most: number, value: unknown): readonly unknown[] {
  const all = list(value);
  if (all.length > most) throw unreadable();
  return all;
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
