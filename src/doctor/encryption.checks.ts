import type { EncryptionKey } from '../config/index.ts';
import { requireKeys } from '../kernel/secrets/index.ts';
import type { Connections } from './database.checks.ts';
import { failure, type Finding, ok } from './finding.ts';

const ABOUT = 'ENCRYPTION_KEYS';

/** Whether every stored secret can be read with the keys. */
export async function* checkEncryption(
  keys: readonly EncryptionKey[],
  { direct }: Connections,
): AsyncGenerator<Finding> {
  try {
    await requireKeys(keys, (query) => direct.rows(query));
    yield ok(ABOUT, 'all keys with which secrets in the database are encrypted are there');
  } catch (error) {
    yield failure(ABOUT, error);
  }
}
