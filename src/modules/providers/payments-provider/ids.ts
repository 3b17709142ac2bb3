const ID = /^[0-9]{1,20}$/;

/** An id as its text, whether a provider writes it as a number or as a text; undefined of anything else. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value);
  return typeof value === 'string' && ID.test(value) ? value : undefined;
}

/** Whether a key of a row says the id that is asked for; one that is missing does not. */
export function names(value: unknown, id: string): boolean {
  return idText(value) === id;
}

/** Orders ids as their numbers, which may be longer than a number can be. */
export function byNumber(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}
