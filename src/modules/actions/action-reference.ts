import { randomBytes } from 'node:crypto';

/** Crockford's: no I, L, O and U, which people mistake. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 6;

/** `A-` and six characters by chance: short enough to type, and of no meaning to guess others by. */
export function newReference(): string {
  // 32 divides 256, so every character is as likely.
  return `A-${Array.from(randomBytes(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
