import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type pg from 'pg';
import { Config, ConfigError } from '../../config/index.ts';
import { Database } from './database.ts';
import { requireDirect, requirePools } from './pooling.ts';
import {
  type DatabaseUrls,
  namedUrls,
  requireOneDatabase,
  requireRole,
  requireVersion,
  requireUsable,
  ServerConnection,
} from './server-checks.ts';
import { missingGrants } from './server.queries.ts';
import { administratorsSql, ensureRoles, missingRoles, Roles } from '../tenancy/index.ts';
import { sqlState, SqlState, sql } from '../sql/index.ts';

export const ORM_OPTIONS = Symbol('orm options');

/** Those that the migrations install. */
export const EXTENSIONS: readonly string[] = ['btree_gin', 'pg_trgm'];

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
    const urls = this.config.database;
    await requireOneDatabase(urls);
    await requirePools(urls);
    if (urls.migrateOnStart) return migrate(this.options, urls);
    const { app, direct, dispatch } = namedUrls(urls);
    await ServerConnection.with(app, async (connection) => {
      await requireVersion(connection);
      if (!(await hasMigrations(connection.client)))
        throw new ConfigError('MIGRATE_ON_START', 'is off but the database has no tables; run `npm run migrate` first');
      await requireRole(connection, Roles.app, 'SET');
    });
    await ServerConnection.with(dispatch, (connection) => requireRole(connection, Roles.dispatch, 'SET'));
    await ServerConnection.with(direct, async (connection) => {
      await requireUsable(connection);
      await requireDirect(connection);
      await requireRole(connection, Roles.owner, 'USAGE');
    });
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

/** Names of this build's migrations, in order. */
export function knownMigrations(options: Options): string[] {
  const list = (options.migrations?.migrationsList ?? []) as (Function | { name: string })[];
  return list.map(({ name }) => name);
}

async function hasMigrations(database: Queryable): Promise<boolean> {
  const { rows } = await database.query(`select to_regclass('mikro_orm_migrations') is not null as exists`);
  return (rows[0] as { exists: boolean }).exists;
}

/** Names of the migrations that the database has; none before the first one. */
export async function appliedMigrations(connection: ServerConnection): Promise<string[]> {
  if (!(await hasMigrations(connection.client))) return [];
  const { rows } = await connection.client.query('select name from mikro_orm_migrations order by id');
  return (rows as { name: string }[]).map(({ name }) => name);
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
export async function migrate(options: Options, urls: DatabaseUrls): Promise<void> {
  const connection = await ServerConnection.open(namedUrls(urls).direct);
  try {
    await requireVersion(connection);
    await requireUsable(connection);
    await requireDirect(connection);
    await migrateOn(connection, options, urls);
  } catch (error) {
    const state = sqlState(error);
    if (state !== SqlState.insufficientPrivilege && state !== SqlState.readOnly) throw error;
    const { message } = ((error as Error).cause ?? error) as Error;
    connection.refuse(`its login cannot migrate the database: ${message.split('\n').at(-1)}`);
  } finally {
    await connection.close();
  }
}

async function migrateOn(connection: ServerConnection, options: Options, urls: DatabaseUrls): Promise<void> {
  const { client: lock, setting } = connection;
  const { directUrl, url, dispatchUrl } = urls;
  const logins = { app: loginOf(url), dispatch: loginOf(dispatchUrl) };
  const isReady = async () =>
    (await missingMigrations(options, lock)).length === 0 && (await missingRoles(lock, logins)).length === 0;
  if (await isReady()) return;
  await takeTurn(lock);
  const grants = (await connection.rows(missingGrants(EXTENSIONS))).map(({ grant }) => grant);
  await ensureRoles(lock, logins, { setting, missingGrants: grants });
  if (grants.length > 0) connection.refuse(administratorsSql('tables', grants));
  const orm = await MikroORM.init({ ...options, clientUrl: directUrl, dbName: databaseOf(directUrl) });
  try {
    await orm.migrator.up();
  } finally {
    await orm.close();
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
