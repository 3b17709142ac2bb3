import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../src/kernel/database/index.ts';
import { ormOptions } from '../../../src/mikro-orm.config.ts';
import { ServerWithLogins } from '../../support/database/server-with-logins.ts';
import { faults, findings } from '../../support/doctor.ts';
import { onDatabase } from '../../support/processes/service-process.ts';

let server: ServerWithLogins;
beforeAll(async () => {
  server = await ServerWithLogins.start();
}, 60_000);
afterAll(() => server.stop());

describe('roles and tables that are wrong', () => {
  it.each<[string, string[], RegExp]>([
    [
      'a table that belongs to another',
      ['alter table task owner to postgres'],
      /^FAIL DATABASE_DIRECT_URL: its login does not own 1 table, such as task/,
    ],
    [
      'policies that nothing enforces',
      ['alter table run disable row level security'],
      /^FAIL row-level security: is off for run; run: alter table run enable/,
    ],
    [
      'policies that the owner passes',
      ['alter table chat no force row level security'],
      /^FAIL row-level security: is off for chat;/,
    ],
    [
      'an extension that was removed',
      ['drop extension btree_gin cascade'],
      /^FAIL extensions: btree_gin was removed; run: create extension btree_gin;$/,
    ],
    [
      'migrations of a newer release',
      [`insert into mikro_orm_migrations (name) values ('Migration99991231Future')`],
      /^warn migrations: the database has 1 of a newer release, such as Migration99991231Future/,
    ],
    [
      'an index that is incomplete',
      [`update pg_index set indisvalid = false where indexrelid = 'task_pkey'::regclass`],
      /^warn migrations: the index task_pkey is incomplete/,
    ],
    [
      'too few connections for the database',
      ['alter database THIS connection limit 10'],
      /^FAIL DATABASE_POOL_SIZE: one process opens up to 46 connections, but the server allows 10/,
    ],
  ])('are named: %s', async (_, statements, wanted) => {
    expect(await faults(server.deployment(await server.database(...statements)))).toContainEqual(
      expect.stringMatching(wanted),
    );
  });

  it('are named: a login for everything that is a superuser', async () => {
    expect(await faults(onDatabase(await server.database()))).toEqual([
      expect.stringMatching(/^warn DATABASE_URL: postgres bypasses row-level security/),
    ]);
  });

  it('are named: a role that bypasses row-level security, and one that may log in', async () => {
    await server.administer('alter role br_app bypassrls; alter role br_dispatch login');
    try {
      const found = await faults(server.deployment(await server.database()));
      expect(found).toEqual([
        expect.stringMatching(/^FAIL roles: br_app bypasses row-level security; run: alter role br_app/),
        expect.stringMatching(/^warn roles: br_dispatch may log in/),
      ]);
    } finally {
      await server.administer('alter role br_app nobypassrls; alter role br_dispatch nologin');
    }
  });

  it('are named: an owner that may neither grant roles nor migrate', async () => {
    await server.administer(`create role plain_login login password 'CANARY-plain'`);
    expect(await faults(onDatabase(server.as('plain_login', await server.emptyDatabase())))).toEqual([
      expect.stringMatching(
        /^FAIL DATABASE_URL: its login may not create roles; let an administrator run: grant br_owner to "?plain_login"?/,
      ),
      expect.stringMatching(
        /^FAIL DATABASE_URL: its login may not create tables; let an administrator run: grant create on schema public to plain_login; grant create on database \w+ to plain_login;$/,
      ),
    ]);
  });

  it('are told in one line that a start ends with, whose SQL is enough', async () => {
    const name = `poor_login_${process.pid}`;
    await server.administer(`create role ${name} login password 'CANARY-poor'`);
    const database = await server.emptyDatabase();
    const url = server.as(name, database);
    const urls = { url, directUrl: url, dispatchUrl: url };
    const { message } = await migrate(ormOptions, urls).then(
      () => new Error('it could'),
      (error: Error) => error,
    );
    expect(message).toMatch(/^DATABASE_URL: its login may not create roles; let an administrator run: [^\n]+$/);
    expect(message).not.toContain('CANARY');
    await server.administer(message.split('run: ')[1]!, database);
    await migrate(ormOptions, urls);
  });

  it('are named: migrations that the start is told not to run', async () => {
    const url = await server.emptyDatabase();
    expect(await faults(onDatabase(url, { MIGRATE_ON_START: 'off' }))).toContainEqual(
      expect.stringMatching(/^FAIL migrations: \d+ of \d+ are missing; run `npm run migrate`$/),
    );
    expect(await findings(onDatabase(url))).toContainEqual(
      expect.stringMatching(/^ok migrations: \d+ of \d+ are missing; the start applies them$/),
    );
  });
});
