/** No capitals, which some file systems do not tell apart; no leading dot, so neither `..` nor the store's own folder. */
const SEGMENT = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const MAX_LENGTH = 512;

export function isKey(key: string): boolean {
  return key.length <= MAX_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment));
}

/** Refuses a key or prefix that is none. It never comes from a client as it stands, so this is a mistake of ours. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`Not a key of the object store: ${JSON.stringify(key.slice(0, MAX_LENGTH))}`);
}
