/**
 * No capitals, because some file systems ignore case; no leading dot, which excludes `..` and the store's own folder.
 */
const SEGMENT = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const MAX_LENGTH = 512;

export function isKey(key: string): boolean {
  return key.length <= MAX_LENGTH && key.split('/').every((segment) => SEGMENT.test(segment));
}

/** Refuses an invalid key or prefix. Keys never come from clients unchanged, so this is a bug of ours. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new TypeError(`Not a key of the object store: ${JSON.stringify(key.slice(0, MAX_LENGTH))}`);
}
