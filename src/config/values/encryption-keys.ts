import { namedKeys } from './capability-keys.ts';

/** One key that encrypts stored secrets: the id that they name it by, and its 32 bytes. */
export interface EncryptionKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/**
 * Parses comma-separated keys, the newest first: the first one encrypts and all decrypt, so that an old one stays until
 * everything is encrypted with the new one.
 */
export function encryptionKeys(text: string | undefined): readonly EncryptionKey[] | undefined {
  return namedKeys('id', text)?.map(({ name, bytes }) => ({ id: name, bytes }));
}
