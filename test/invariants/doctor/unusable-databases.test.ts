import { describe, expect, it } from '@jest/globals';
import { changedDatabase, freshDatabase } from '../../support/database/test-database.ts';
import { doctorCommand, faults } from '../../support/doctor.ts';
import { useListeners } from '../../support/peers/listeners.ts';
import { OldPostgres } from '../../support/peers/old-postgres.ts';
import { onDatabase } from '../../support/processes/service-process.ts';

const databaseUrl = await freshDatabase('migrated');
const listeners = useListeners();
const elsewhere = (changes: Partial<URL>) => Object.assign(new URL(databaseUrl), changes).href;

describe('a database that cannot be reached or used', () => {
  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>, RegExp]>([
    ['nobody answers', () => onDatabase(elsewhere({ port: '1' })), /^FAIL DATABASE_URL: no server answers/],
    [
      'the password is wrong',
      () => onDatabase(elsewhere({ password: 'CANARY-wrong' })),
      /^FAIL DATABASE_URL: the server refuses the user or password$/,
    ],
    [
      'it does not exist',
      () => onDatabase(elsewhere({ pathname: '/no_such' })),
      /^FAIL DATABASE_URL: the server does not have this database$/,
    ],
    [
      'the server has no TLS',
      () => onDatabase(`${databaseUrl}?sslmode=require`),
      /^FAIL DATABASE_URL: the server does not accept encrypted connections$/,
    ],
    [
      'the server is too old',
      async () => onDatabase(elsewhere({ port: await listeners.listen((socket) => new OldPostgres(socket)) })),
      /^FAIL DATABASE_URL: needs PostgreSQL 17 or newer, but the server is 16$/,
    ],
    [
      'the server accepts and is silent',
      async () => onDatabase(elsewhere({ port: await listeners.silent() })),
      /^FAIL DATABASE_URL: no server answers/,
    ],
    [
      'the server hangs after the login',
      async () =>
        onDatabase(
          elsewhere({ port: await listeners.listen((socket) => new OldPostgres(socket, { answers: false })) }),
        ),
      /^FAIL DATABASE_URL: no server answers/,
    ],
    [
      'it only lets read',
      async () => onDatabase(await changedDatabase('alter database THIS set default_transaction_read_only = on')),
      /^FAIL DATABASE_URL: the server is a standby or only lets this login read/,
    ],
    [
      'its encoding is another',
      async () => onDatabase(await freshDatabase('latin1')),
      /^FAIL DATABASE_URL: the encoding of the database is LATIN1/,
    ],
    [
      'two URLs lead to different ones',
      async () => onDatabase(databaseUrl, { DATABASE_DIRECT_URL: await freshDatabase('migrated') }),
      /^FAIL DATABASE_URL: leads to another database than DATABASE_DIRECT_URL/,
    ],
  ])('is named: %s', async (_, env, wanted) => {
    expect(await faults(await env())).toContainEqual(expect.stringMatching(wanted));
  });

  it('is named where its server would lose acknowledged work', async () => {
    const found = await faults(onDatabase(databaseUrl));
    expect(found).toContainEqual(
      expect.stringMatching(/^warn durability: fsync, full_page_writes, synchronous_commit/),
    );
  });

  it('is named where the clock of the machine differs from that of the server', async () => {
    const shift = `const D = Date; globalThis.Date = class extends D { static now() { return D.now() + 3_600_000; } };`;
    const { code, stdout } = await doctorCommand(
      onDatabase(databaseUrl, { PORT: '0' }),
      `--import=data:text/javascript,${encodeURIComponent(shift)}`,
    );
    expect(stdout).toMatch(/^warn {2}clock: differs from that of the database by 3[56]\d\d s; synchronise/m);
    expect(stdout).toMatch(/^faults: 0, warnings: \d$/m);
    expect(code).toBe(0);
  });
});
