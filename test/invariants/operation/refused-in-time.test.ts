import { describe, expect, it } from '@jest/globals';
import { changedDatabase, freshDatabase } from '../../support/database/test-database.ts';
import { useListeners } from '../../support/peers/listeners.ts';
import { OldPostgres } from '../../support/peers/old-postgres.ts';
import { useRefusedStarts } from '../../support/processes/refused-starts.ts';
import { onDatabase } from '../../support/processes/service-process.ts';

/** The limits of the start are 5 s for each answer of the database and 10 s for the store; the rest is a busy machine. */
const BOUND_MS = 40_000;
const listeners = useListeners();
const READ_ONLY = 'alter database THIS set default_transaction_read_only = on';

const refusal = useRefusedStarts();

const at = (port: string) => `postgresql://postgres:CANARY-password@127.0.0.1:${port}/runner`;

describe('a start on something that accepts and is silent, or that could not serve', () => {
  it.each<[string, () => Promise<Record<string, string>>, RegExp]>([
    [
      'a database that is silent',
      async () => onDatabase(at(await listeners.silent())),
      /^DATABASE_URL: no server answers/,
    ],
    [
      'a database that hangs after the login',
      async () => onDatabase(at(await listeners.listen((socket) => new OldPostgres(socket, { answers: false })))),
      /^DATABASE_URL: /,
    ],
    [
      'an object store that is silent',
      async () =>
        onDatabase(await freshDatabase('migrated'), {
          OBJECT_STORE_DIR: '',
          OBJECT_STORE_S3_BUCKET: 'bytes',
          OBJECT_STORE_S3_ENDPOINT: `http://127.0.0.1:${await listeners.silent()}`,
          OBJECT_STORE_S3_ACCESS_KEY_ID: 'CANARY-key',
          OBJECT_STORE_S3_SECRET_ACCESS_KEY: 'CANARY-secret',
        }),
      /^OBJECT_STORE_S3_ENDPOINT: does not answer/,
    ],
    [
      'two databases',
      async () => onDatabase(await freshDatabase('migrated'), { DATABASE_DIRECT_URL: await freshDatabase('empty') }),
      /^DATABASE_URL: leads to another database than DATABASE_DIRECT_URL/,
    ],
    [
      'a database that only lets read',
      async () => onDatabase(await changedDatabase(READ_ONLY)),
      /^DATABASE_URL: the server is a standby or only lets this login read/,
    ],
  ])(
    'is refused in one line: %s',
    async (_, env, wanted) => {
      const startedAt = performance.now();
      const { code, stderr } = await refusal(await env());
      expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
      expect(stderr).toMatch(wanted);
      expect(stderr.trimEnd()).not.toContain('\n');
      expect(stderr).not.toContain('CANARY');
      expect(code).toBe(1);
    },
    BOUND_MS + 5_000,
  );
});
