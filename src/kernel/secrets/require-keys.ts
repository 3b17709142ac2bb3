import { ConfigError, type EncryptionKey } from '../../config/index.ts';
import type { Execute } from '../database/index.ts';
import { open, type SecretContext } from './sealed-secret.ts';
import { keyChecks, otherKeys, sealedTables } from './sealed-tables.queries.ts';

const SETTING = 'ENCRYPTION_KEYS';

/** The text that a key is known by, and where it stands. */
export const KNOWN_TEXT = 'business-runner';
export function checkContext(keyId: string): SecretContext {
  return ['encryption_key_check', keyId];
}

/** Refuses keys with which stored secrets could not be read: another one under an id that is known, and one too few. */
export async function requireKeys(keys: readonly EncryptionKey[], rows: Execute): Promise<void> {
  const ids = keys.map(({ id }) => id);
  for (const check of await rows(keyChecks(ids))) {
    const key = keys.find(({ id }) => id === check.keyId)!;
    if (!isOpenedBy(key, check))
      throw new ConfigError(
        SETTING,
        `has another key under the id "${key.id}" than before; give a new key an id of its own`,
      );
  }
  const missing = new Set<string>();
  for (const table of await rows(sealedTables()))
    for (const { id } of await rows(otherKeys(table, ids))) missing.add(id);
  if (missing.size > 0)
    throw new ConfigError(
      SETTING,
      `lacks the key ${[...missing].map((id) => `"${id}"`).join(', ')}, with which secrets in the database are encrypted; add it behind the first one`,
    );
}

function isOpenedBy(key: EncryptionKey, check: Parameters<typeof open>[1]): boolean {
  try {
    return open(key, check, checkContext(key.id)) === KNOWN_TEXT;
  } catch {
    return false;
  }
}
