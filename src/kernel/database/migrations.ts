import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import { Config, ConfigError, type DatabaseConfig } from '../../config/index.ts';
import { Database } from './database.ts';
import { ensureRoles, missingRoles } from './roles.ts';
import { statement } from './statement.ts';

export const ORM_OPTIONS = Symbol('orm options');

/** Any number that nothing else in the database locks by. */
const LOCK = 4_021_847_311;

/** Brings the schema up to this build, as the tables' owner. */
@Injectable()
export class Migrations {
  constructor(
    @Inject(ORM_OPTIONS) private readonly options: Options,
    private readonly config: Config,
    private readonly database: Database,
  ) {}

  /** Names of the migrations that this build knows and the database lacks; newer ones in the database do not matter. */
  missing(): Promise<string[]> {
    return missingMigrations(this.options, this.application);
  }

  /** Before a start: the server is new enough, and what is missing is applied where the deployment wants that. */
  async prepare(): Promise<void> {
    if (this.config.database.migrateOnStart) return migrate(this.options, this.config.database);
    await reached('DATABASE_URL', () => this.database.probe.lend((client) => requireVersion(client)));
  }

  private get application(): Queryable {
    return { query: async (text) => ({ rows: await this.database.probed(statement(text)) }) };
  }
}

interface Queryable {
  query(text: string): Promise<{ rows: unknown[] }>;
}

function knownMigrations(options: Options): string[] {
  const list = (options.migrations?.migrationsList ?? []) as (Function | { name: string })[];
  return list.map(({ name }) => name);
}

async function missingMigrations(options: Options, database: Queryable): Promise<string[]> {
  const exists = await database.query(`select to_regclass('mikro_orm_migrations') is not null as exists`);
  if (!(exists.rows[0] as { exists: boolean }).exists) return knownMigrations(options);
  const applied = await database.query('select name from mikro_orm_migrations');
  const names = new Set((applied.rows as { name: string }[]).map(({ name }) => name));
  return knownMigrations(options).filter((name) => !names.has(name));
}

/**
 * Runs the missing migrations on the owner's direct connection under one lock for the whole sequence. Waiters poll with
 * sleeps between statements: a session that waits inside `pg_advisory_lock` deadlocks with CREATE INDEX CONCURRENTLY.
 */
export async function migrate(
  options: Options,
  { directUrl, url, dispatchUrl }: Pick<DatabaseConfig, 'directUrl' | 'url' | 'dispatchUrl'>,
): Promise<void> {
  const lock = new pg.Client({
    connectionString: directUrl,
    application_name: 'business-runner-migrations',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A connection that is lost between two statements fails the next one; it must not end the process by itself.
  lock.on('error', () => undefined);
  await reached(directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL', () => lock.connect());
  try {
    await requireVersion(lock);
    const logins = { app: loginOf(url), dispatch: loginOf(dispatchUrl) };
    const isReady = async () =>
      (await missingMigrations(options, lock)).length === 0 && (await missingRoles(lock, logins)).length === 0;
    if (await isReady()) return;
    await takeTurn(lock);
    await ensureRoles(lock, logins);
    const orm = await MikroORM.init({ ...options, clientUrl: directUrl, dbName: new URL(directUrl).pathname.slice(1) });
    try {
      await orm.migrator.up();
    } finally {
      await orm.close();
    }
  } finally {
    await lock.end();
  }
}

function loginOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

async function takeTurn(client: pg.Client): Promise<void> {
  if (await tryLock(client)) return;
  new Logger('Migrations').log('waiting for another process that migrates');
  while (!(await tryLock(client))) await wait(200);
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [LOCK]);
  return (rows[0] as { locked: boolean }).locked;
}

const OLDEST_VERSION = 17;

async function requireVersion(database: Queryable): Promise<void> {
  const { rows } = await database.query('show server_version_num');
  const version = Math.floor(Number((rows[0] as { server_version_num: string }).server_version_num) / 10_000);
  if (version < OLDEST_VERSION)
    throw new ConfigError('DATABASE_URL', `needs PostgreSQL ${OLDEST_VERSION} or newer, the server is ${version}`);
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody answers there',
  ENOTFOUND: 'there is no such host',
  ETIMEDOUT: 'nobody answers there',
  '28P01': 'the server refuses the login',
  '28000': 'the server refuses the login',
  '3D000': 'the server has no such database',
  '57P03': 'the server is starting',
  EAI_AGAIN: 'there is no such host',
  EHOSTUNREACH: 'nobody answers there',
  ENETUNREACH: 'nobody answers there',
};

/** Names the setting when what it points to cannot be reached. */
async function reached<T>(setting: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const problem =
      UNREACHABLE[String(code)] ?? (/SSL/.test(message) ? 'the server takes no encrypted connections' : '');
    throw problem ? new ConfigError(setting, problem) : error;
  }
}
