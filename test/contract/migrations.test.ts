import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/index.ts';
import { ConfigError } from '../../src/config/index.ts';
import { migrate } from '../../src/kernel/database/index.ts';
import { ormOptions } from '../../src/mikro-orm.config.ts';
import { migrationsList } from '../../migrations/index.ts';
import { organizationOf } from '../support/client.ts';
import { readSchema } from '../support/database/schema-linter.ts';
import { TestApp } from '../support/test-app.ts';
import { freshDatabase } from '../support/database/test-database.ts';

const NAMES = migrationsList.map(({ name }) => name);

describe('a migrated database', () => {
  let url: string;
  beforeAll(async () => {
    url = await freshDatabase('empty');
    await migrateAs(url);
  });

  it('is what the entities and the committed snapshot say', async () => {
    const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, dbName: new URL(url).pathname.slice(1) });
    const drift = [await orm.migrator.checkSchema(), await orm.schema.getUpdateSchemaSQL()];
    await orm.close();
    expect(drift).toEqual([false, '']);
  });

  it('stays as it is when it is migrated again', async () => {
    const before = await stateOf(url);
    expect(before.applied).toEqual(NAMES);
    await migrateAs(url);
    expect(await stateOf(url)).toEqual(before);
  });

  it('shows drift when somebody changes it by hand', async () => {
    await query(url, 'alter table agent_profile add column extra text');
    const orm = await MikroORM.init({ ...ormOptions, clientUrl: url, dbName: new URL(url).pathname.slice(1) });
    const drift = await orm.schema.getUpdateSchemaSQL();
    await orm.close();
    expect(drift).toContain('extra');
  });
});

describe('an empty database', () => {
  it('is migrated once by several that start at the same time', async () => {
    const url = await freshDatabase('empty');
    await Promise.all([migrateAs(url), migrateAs(url), migrateAs(url)]);
    expect((await stateOf(url)).applied).toEqual(NAMES);
  });
});

describe('a server without superusers at hand', () => {
  let folder: string;
  let server: EmbeddedServer;

  // One of its own: roles belong to a whole server, and this one has none of ours yet.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'business-runner-roles-'));
    server = await startEmbeddedServer({ dataDir: folder, settings: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gets the SQL to run when the owner may not make roles, and starts once somebody has run it', async () => {
    const owner = await databaseOf('limited', 'nocreaterole');
    const attempt = migrateAs(owner);
    await expect(attempt).rejects.toThrow(ConfigError);
    const { message } = (await attempt.catch((error: unknown) => error)) as Error;
    expect(message).toContain('DATABASE_URL: its login may not create roles');
    expect(await roles()).toEqual([]);
    expect((await query(owner, `select to_regclass('organization') as made`))[0]).toEqual({ made: null });

    await query(server.url, message.slice(message.indexOf('run: ') + 'run: '.length));
    await migrateAs(owner);
    expect((await stateOf(owner)).applied).toEqual(NAMES);
    await forgetRoles(owner);
  });

  it('serves with an owner that makes roles and an application login that can do nothing else', async () => {
    const owner = await databaseOf('keeper', 'createrole');
    await query(server.url, `create role front login password 'front'`);
    const application = withLogin(owner, 'front');
    await migrate(ormOptions, { directUrl: owner, url: application, dispatchUrl: application });
    expect(await roles()).toEqual(['br_app', 'br_dispatch', 'br_owner']);

    const app = await TestApp.start({ databaseUrl: application, env: { DATABASE_DIRECT_URL: owner } });
    const everything = withLogin(owner, undefined);
    const rowsOf = async (id: string) =>
      query(
        everything,
        `select 'organization' from organization where id = $1
         union all select 'agent_profile' from agent_profile where organization_id = $1
         union all select 'activity' from activity where organization_id = $1
         union all select 'membership' from membership where organization_id = $1`,
        [id],
      );
    try {
      const person = await app.person();
      const id = await organizationOf(person);
      expect((await person.get(`/organizations/${id}/agent-profiles`)).body.data).toHaveLength(5);
      expect((await rowsOf(id)).length).toBeGreaterThan(0);
      expect((await person.delete(`/organizations/${id}`)).status).toBe(200);
      await app.runJob('organization-purge');
      expect(await rowsOf(id)).toEqual([]);

      // Outside a context the login has no rights at all, whatever its roles may do.
      for (const table of ['idempotency_key', 'agent_profile', 'organization', 'owner_token'])
        await expect(query(application, `select from ${table}`)).rejects.toMatchObject({ code: '42501' });

      await query(everything, `drop table ${(await partitions(everything)).at(-1)!}`);
      const before = await partitions(everything);
      await app.runJob('activity-partitions');
      expect(await partitions(everything)).toHaveLength(before.length + 1);
    } finally {
      await app.close();
    }
  });

  it('lets a login in that is configured after the migrations have run', async () => {
    const owner = withLogin(Object.assign(new URL(server.url), { pathname: '/of_keeper' }).href, 'keeper');
    await query(server.url, `create role later login password 'later'`);
    const application = withLogin(owner, 'later');
    await migrate(ormOptions, { directUrl: owner, url: application, dispatchUrl: application });
    const app = await TestApp.start({ databaseUrl: application, env: { DATABASE_DIRECT_URL: owner } });
    try {
      expect((await app.anonymous.get('/health/ready')).status).toBe(200);
      await organizationOf(await app.person());
    } finally {
      await app.close();
    }
  });

  /** A database owned by a new login; answers the login's connection string. */
  async function databaseOf(login: string, right: 'createrole' | 'nocreaterole'): Promise<string> {
    await query(server.url, `create role ${login} login ${right} password '${login}'`);
    await query(server.url, `create database of_${login} owner ${login}`);
    return withLogin(Object.assign(new URL(server.url), { pathname: `/of_${login}` }).href, login);
  }

  function withLogin(url: string, login: string | undefined): string {
    const { username, password } = new URL(server.url);
    const as = login ? { username: login, password: login } : { username, password };
    return Object.assign(new URL(url), as).href;
  }

  function roles(): Promise<string[]> {
    return namesOf(server.url, `select rolname as name from pg_roles where rolname ~ '^br_' order by 1`);
  }

  async function forgetRoles(owner: string): Promise<void> {
    const database = new URL(owner).pathname.slice(1);
    await query(server.url, `drop database ${database} with (force)`);
    await query(server.url, 'drop role br_app, br_dispatch, br_owner');
  }

  function partitions(url: string): Promise<string[]> {
    return namesOf(url, `select relname as name from pg_class where relname ~ '^activity_\\d{4}_\\d{2}$' order by 1`);
  }

  async function namesOf(url: string, text: string): Promise<string[]> {
    return (await query<{ name: string }>(url, text)).map(({ name }) => name);
  }
});

function migrateAs(url: string): Promise<void> {
  return migrate(ormOptions, { url, directUrl: url, dispatchUrl: url });
}

async function stateOf(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; executed_at: unknown }>(
      'select name, executed_at from mikro_orm_migrations order by id',
    );
    return { tables: await readSchema(client), rows, applied: rows.map(({ name }) => name) };
  } finally {
    await client.end();
  }
}

async function query<Row = Record<string, unknown>>(url: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}
