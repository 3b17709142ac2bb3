import { setTimeout as wait } from 'node:timers/promises';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { Config, type DatabaseConfig } from '../../config/index.ts';
import { Database } from './database.ts';
import { ensureRoles } from './roles.ts';

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
  async missing(): Promise<string[]> {
    return missingMigrations(this.options, this.database.app);
  }

  /** Applies what is missing. Of several replicas that start at once one does the work and the others wait for it. */
  async apply(): Promise<void> {
    await migrate(this.options, this.config.database);
  }
}

function knownMigrations(options: Options): string[] {
  const list = (options.migrations?.migrationsList ?? []) as (Function | { name: string })[];
  return list.map(({ name }) => name);
}

async function missingMigrations(options: Options, database: Pick<pg.Pool, 'query'>): Promise<string[]> {
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
  const lock = new pg.Client({ connectionString: directUrl, application_name: 'business-runner-migrations' });
  await lock.connect();
  try {
    if ((await missingMigrations(options, lock)).length === 0) return;
    while (!(await tryLock(lock))) await wait(200);
    await ensureRoles(lock, { app: loginOf(url), dispatch: loginOf(dispatchUrl) });
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

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [LOCK]);
  return (rows[0] as { locked: boolean }).locked;
}
