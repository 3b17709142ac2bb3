import { isUuid } from '../../kernel/validation/index.ts';

const UUID_LENGTH = 36;
const NAME = /^\.[a-z0-9_-]{1,100}$/;

/** Whether a key is `<id>` or `<id>.<name>`. */
export function isDurabilityKey(key: string): boolean {
  const name = key.slice(UUID_LENGTH);
  return isUuid(key.slice(0, UUID_LENGTH)) && (name === '' || NAME.test(name));
}

/** The task or chat that a key belongs to. */
export function ownerOfKey(key: string): string {
  return key.slice(0, UUID_LENGTH).toLowerCase();
}

/** An id in upper case is the same id. */
export function normalizeKey(key: string): string {
  return ownerOfKey(key) + key.slice(UUID_LENGTH);
}
