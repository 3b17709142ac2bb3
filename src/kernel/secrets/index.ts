/**
 * Guarantees: a secret is stored encrypted with a key of its own (AES-256-GCM), which a key of `ENCRYPTION_KEYS` encrypts;
 * it opens only in the row and generation that it was made for; after a rotation the first key takes over in the background.
 * A table of secrets has the columns `key_id`, `wrapped_key` and `sealed`; the context of a secret is the table's name and
 * its primary key.
 * Refuses: a start with keys with which stored secrets could not be read.
 */
export { EncryptionKeyCheck } from './encryption-key-check.entity.ts';
export { requireKeys } from './require-keys.ts';
export type { SealedSecret, SecretContext } from './sealed-secret.ts';
export { Secrets, UnreadableSecret } from './secrets.ts';
export { SecretsModule } from './secrets.module.ts';
