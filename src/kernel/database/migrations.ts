import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import { Config, ConfigError, type DatabaseConfig } from '../../config/index.ts';
import { Database } from './database.ts';
import { ensureRoles, missingRoles, Roles } from '../tenancy/index.ts';
import { sqlState, SqlState, sql } from '../sql/index.ts';

export const ORM_OPTIONS = Symbol('orm options');

/** An arbitrary lock number that nothing else in the database uses. */
const LOCK = 4_021_847_311;

/** Migrates the schema to this build, as the tables' owner. */
@Injectable()
export class Migrations {
  constructor(
    @Inject(ORM_OPTIONS) private readonly options: Options,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /** Names of this build's migrations that the database lacks; ignores newer ones in the database. */
  missing(): Promise<string[]> {
    return missingMigrations(this.options, this.application);
  }

  /** Prepares a start: applies missing migrations if the deployment wants that, and checks every database URL. */
  async prepare(): Promise<void> {
    const { migrateOnStart, url, directUrl, dispatchUrl } = this.config.database;
    if (migrateOnStart) {
      await migrate(this.options, this.config.database);
      if (url !== directUrl) await checkServer('DATABASE_URL', url, requireVersion);
      if (dispatchUrl !== url) await checkServer('DATABASE_DISPATCH_URL', dispatchUrl, requireVersion);
      return;
    }
    await checkServer('DATABASE_URL', url, async (client, setting) => {
      await requireVersion(client, setting);
      if (!(await hasMigrations(client)))
        throw new ConfigError('MIGRATE_ON_START', 'is off but the database has no tables; run `npm run migrate` first');
      await requireRole(client, setting, Roles.app, 'SET');
    });
    const settingOf = (own: string, other: string) => (other === url ? 'DATABASE_URL' : own);
    await checkServer(settingOf('DATABASE_DISPATCH_URL', dispatchUrl), dispatchUrl, (client, setting) =>
      requireRole(client, setting, Roles.dispatch, 'SET'),
    );
    await checkServer(settingOf('DATABASE_DIRECT_URL', directUrl), directUrl, (client, setting) =>
      requireRole(client, setting, Roles.owner, 'USAGE'),
    );
    const missing = await this.missing();
    if (missing.length > 0)
      new Logger('Migrations').warn(
        `MIGRATE_ON_START is off and ${missing.length} migrations are missing: not ready; run \`npm run migrate\``,
      );
  }

  private get application(): Queryable {
    return { query: async (text) => ({ rows: await this.database.probed(sql.raw(text)) }) };
  }
}

interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>;
}

function knownMigrations(options: Options): string[] {
  const list = (options.migrations?.migrationsList ?? []) as (Function | { name: string })[];
  return list.map(({ name }) => name);
}

async function hasMigrations(database: Queryable): Promise<boolean> {
  const { rows } = await database.query(`select to_regclass('mikro_orm_migrations') is not null as exists`);
  return (rows[0] as { exists: boolean }).exists;
}

async function missingMigrations(options: Options, database: Queryable): Promise<string[]> {
  if (!(await hasMigrations(database))) return knownMigrations(options);
  const applied = await database.query('select name from mikro_orm_migrations');
  const names = new Set((applied.rows as { name: string }[]).map(({ name }) => name));
  return knownMigrations(options).filter((name) => !names.has(name));
}

/**
 * Runs the missing migrations on the owner's direct connection, under one lock for the whole sequence. Other processes
 * poll for the lock and sleep in between, because a session that waits inside `pg_advisory_lock` deadlocks with CREATE
 * INDEX CONCURRENTLY.
 */
export async function migrate(
  options: Options,
  { directUrl, url, dispatchUrl }: Pick<DatabaseConfig, 'directUrl' | 'url' | 'dispatchUrl'>,
): Promise<void> {
  const setting = directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  const lock = await connectedTo(setting, directUrl);
  try {
    await requireVersion(lock, setting);
    const logins = { app: loginOf(url), dispatch: loginOf(dispatchUrl) };
    const isReady = async () =>
      (await missingMigrations(options, lock)).length === 0 && (await missingRoles(lock, logins)).length === 0;
    if (await isReady()) return;
    await takeTurn(lock);
    await ensureRoles(lock, logins);
    const orm = await MikroORM.init({ ...options, clientUrl: directUrl, dbName: databaseOf(directUrl) });
    try {
      await orm.migrator.up();
    } catch (error) {
      const state = sqlState(error);
      if (state !== SqlState.insufficientPrivilege && state !== SqlState.readOnly) throw error;
      const { message } = ((error as Error).cause ?? error) as Error;
      throw new ConfigError(setting, `its login cannot migrate the database: ${message.split('\n').at(-1)}`);
    } finally {
      await orm.close();
    }
  } finally {
    await lock.end();
  }
}

/** Opens a separate connection, or fails with a line that names the setting. */
async function connectedTo(setting: string, url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'business-runner-migrations',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A connection that is lost between two statements makes the next one fail; the event itself must not end the
  // process.
  client.on('error', () => undefined);
  await explainFailure(setting, () => client.connect());
  return client;
}

/** Checks the server of a URL before the service relies on it. */
async function checkServer(
  setting: string,
  url: string,
  work: (client: pg.Client, setting: string) => Promise<void>,
): Promise<void> {
  const client = await connectedTo(setting, url);
  try {
    await explainFailure(setting, () => work(client, setting));
  } finally {
    await client.end();
  }
}

function databaseOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.slice(1));
}

function loginOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

async function takeTurn(client: pg.Client): Promise<void> {
  if (await tryLock(client)) return;
  new Logger('Migrations').log('waiting for another process that runs the migrations');
  while (!(await tryLock(client))) await wait(200);
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [LOCK]);
  return (rows[0] as { locked: boolean }).locked;
}

/** Refuses a login that may not take the role of its connections: the service would start and then serve nothing. */
async function requireRole(database: Queryable, setting: string, role: string, how: 'SET' | 'USAGE'): Promise<void> {
  const { rows } = await database.query(
    `select from pg_roles where rolname = '${role}' and pg_has_role(current_user, rolname, '${how}')`,
  );
  if (rows.length === 0)
    throw new ConfigError(
      setting,
      `its login lacks the role ${role}; \`npm run migrate\` grants it, as an administrator`,
    );
}

const OLDEST_VERSION = 17;

async function requireVersion(database: Queryable, setting: string): Promise<void> {
  const { rows } = await database.query('show server_version_num');
  const version = Math.floor(Number((rows[0] as { server_version_num: string }).server_version_num) / 10_000);
  if (version < OLDEST_VERSION)
    throw new ConfigError(setting, `needs PostgreSQL ${OLDEST_VERSION} or newer, but the server is ${version}`);
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server answers at this address',
  ECONNRESET: 'the server at this address is not PostgreSQL, or closes the connection',
  ENOTFOUND: 'the host does not exist',
  ETIMEDOUT: 'no server answers at this address',
  '28P01': 'the server refuses the user or password',
  '28000': 'the server refuses the user or password',
  '3D000': 'the server does not have this database',
  '53300': 'the server has no free connection',
  '57P03': 'the server is still starting; try again',
  EAI_AGAIN: 'the host does not exist',
  EHOSTUNREACH: 'no server answers at this address',
  ENETUNREACH: 'no server answers at this address',
};

/** Problems of errors without a code, by their message. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/client password must be/, 'the server requires a password; add it to the URL'],
  [/timeout/, 'no server answers at this address'],
  [/does not support SSL/, 'the server does not accept encrypted connections'],
  [/certificate/, 'the certificate of the server is not trusted'],
  [/Connection terminated/, 'the server at this address is not PostgreSQL, or closes the connection'],
];

/** Does what needs the server; turns a failure to reach or use it into an error that names the setting. */
async function explainFailure<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code, message } = error as { code?: unknown; message: string };
    const problem = UNREACHABLE[String(code)] ?? SAID.find(([pattern]) => pattern.test(message))?.[1];
    throw problem ? new ConfigError(setting, problem) : error;
  }
}
