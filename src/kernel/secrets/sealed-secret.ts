import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../../config/index.ts';
import { canonicalText } from '../crypto/index.ts';

/** A secret as it is stored: encrypted with a key of its own, which is encrypted with one of the deployment's. */
export interface SealedSecret {
  /** The deployment's key that the other columns name. */
  readonly keyId: string;
  /** The secret's own key, encrypted. */
  readonly wrappedKey: Buffer;
  /** The secret, encrypted. */
  readonly sealed: Buffer;
}

/**
 * What a secret belongs to, beginning with its table: organization, ids, generation. Encrypted along, so that a value that is
 * copied to another row, organization or generation does not open.
 */
export type SecretContext = readonly (string | number)[];

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

export function seal(key: EncryptionKey, value: unknown, context: SecretContext): SealedSecret {
  const own = randomBytes(KEY_BYTES);
  return {
    keyId: key.id,
    wrappedKey: encrypt(key.bytes, own, wrapContext(context, key.id)),
    sealed: encrypt(own, Buffer.from(canonicalText(value)), sealContext(context)),
  };
}

/** Throws where anything is not what was sealed, whichever part. */
export function open<T>(key: EncryptionKey, { wrappedKey, sealed }: SealedSecret, context: SecretContext): T {
  const own = decrypt(key.bytes, wrappedKey, wrapContext(context, key.id));
  return JSON.parse(decrypt(own, sealed, sealContext(context)).toString()) as T;
}

/** The secret's own key, encrypted with another key of the deployment; the secret stays as it is. */
export function rewrap(from: EncryptionKey, to: EncryptionKey, wrappedKey: Buffer, context: SecretContext): Buffer {
  const own = decrypt(from.bytes, wrappedKey, wrapContext(context, from.id));
  return encrypt(to.bytes, own, wrapContext(context, to.id));
}

function sealContext(context: SecretContext): Buffer {
  return Buffer.from(canonicalText(['secret/1', ...context]));
}

function wrapContext(context: SecretContext, keyId: string): Buffer {
  return Buffer.from(canonicalText(['secret/1', ...context, keyId]));
}

/** Initialization vector, ciphertext and tag, in this order. */
function encrypt(key: Buffer, plain: Buffer, additional: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(additional);
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, bytes: Buffer, additional: Buffer): Buffer {
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
    .setAAD(additional)
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
}
