import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Config, type ConfigError, deploymentFromSettings, readSettings } from '../../src/config/index.ts';
import { diagnose } from '../../src/doctor/index.ts';
import { Database, Migrations, poolingOf, ServerConnection } from '../../src/kernel/database/index.ts';
import { Metrics } from '../../src/kernel/metrics/index.ts';
import { ormOptions } from '../../src/mikro-orm.config.ts';
import { freshDatabase } from '../support/database/test-database.ts';
import { PgBouncer } from '../support/peers/pgbouncer.ts';
import { onDatabase, ServiceProcess } from '../support/processes/service-process.ts';

const databaseUrl = await freshDatabase('migrated');
const poolers = {
  transaction: await PgBouncer.start(databaseUrl, { default_pool_size: 20 }),
  session: await PgBouncer.start(databaseUrl, { pool_mode: 'session', default_pool_size: 60 }),
  statement: await PgBouncer.start(databaseUrl, { pool_mode: 'statement' }),
};
type Mode = keyof typeof poolers;
const through = (mode: Mode) => poolers[mode].through(databaseUrl);

const found = (url: string) => ServerConnection.with({ setting: 'DATABASE_URL', url }, poolingOf);

afterAll(async () => {
  await ServiceProcess.killAll();
  await Promise.all(Object.values(poolers).map((pooler) => pooler.stop()));
});

describe('what is found out of an address', () => {
  it('is that nothing stands before a server', async () => {
    expect(await found(databaseUrl)).toEqual({ per: 'session', keepsNames: true });
  });

  it.each<[Mode, boolean]>([
    ['transaction', false],
    ['session', true],
    ['statement', false],
  ])('is that a pooler lends its connections per %s', async (per, keepsNames) => {
    for (let time = 0; time < 5; time += 1) expect(await found(through(per))).toEqual({ per, keepsNames });
  });

  it('is the same with a single connection to the server, and beside other clients', async () => {
    const narrow = await PgBouncer.start(databaseUrl, { default_pool_size: 1 });
    const busy = new pg.Pool({ connectionString: narrow.through(databaseUrl), max: 4 });
    const over = new AbortController();
    const traffic = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) await busy.query('select 1');
    });
    try {
      for (let time = 0; time < 10; time += 1)
        expect(await found(narrow.through(databaseUrl))).toEqual({ per: 'transaction', keepsNames: false });
    } finally {
      over.abort();
      await Promise.all(traffic);
      await busy.end();
      await narrow.stop();
    }
  });
});

describe('a start through a pooler', () => {
  let unreachable: PgBouncer;
  let full: PgBouncer;
  beforeAll(async () => {
    unreachable = await PgBouncer.start(databaseUrl, { query_wait_timeout: 1 }, { port: '1' });
    full = await PgBouncer.start(databaseUrl, { max_client_conn: 1 });
  });
  afterAll(() => Promise.all([unreachable.stop(), full.stop()]));

  const pooled = through('transaction');
  const off = { DATABASE_PREPARED: 'off' };
  const direct = { DATABASE_DIRECT_URL: databaseUrl };
  it.each<[string, RegExp, () => Record<string, string>]>([
    ['DATABASE_PREPARED', /loses named statements; set it to off/, () => service(pooled, direct)],
    [
      'DATABASE_PREPARED',
      /loses named statements; set it to off/,
      () => service(pooled, { ...direct, MIGRATE_ON_START: 'off' }),
    ],
    [
      'DATABASE_PREPARED',
      /pooler of DATABASE_DISPATCH_URL/,
      () => service(databaseUrl, { DATABASE_DISPATCH_URL: pooled }),
    ],
    ['DATABASE_URL', /set DATABASE_DIRECT_URL to the server/, () => service(pooled, off)],
    ['DATABASE_URL', /set DATABASE_DIRECT_URL to/, () => service(pooled, { ...off, MIGRATE_ON_START: 'off' })],
    ['DATABASE_DIRECT_URL', /name the server itself/, () => service(databaseUrl, { DATABASE_DIRECT_URL: pooled })],
    ['DATABASE_URL', /set DATABASE_DIRECT_URL to/, () => service(pooled, { ...off, DATABASE_DIRECT_URL: pooled })],
    ['DATABASE_URL', /refuses transactions/, () => service(through('statement'), { ...off, ...direct })],
    [
      'DATABASE_URL',
      /refuses a start-up parameter/,
      () => service(`${pooled}?statement_timeout=1000`, { ...off, ...direct }),
    ],
    ['DATABASE_URL', /user or password/, () => service(without('password'), { ...off, ...direct })],
    ['DATABASE_URL', /user or password/, () => service(without('username'), { ...off, ...direct })],
    ['DATABASE_URL', /this database/, () => service(without('pathname'), { ...off, ...direct })],
    ['DATABASE_URL', /reach its server/, () => service(unreachable.through(databaseUrl), { ...off, ...direct })],
    ['DATABASE_URL', /no free connection/, () => service(full.through(databaseUrl), { ...off, ...direct })],
  ])('is refused with a message that names %s: %s', async (name, problem, env) => {
    const message = await refusalOf(env());
    expect(message).toMatch(problem);
    expect(message).toMatch(new RegExp(`^${name}: `));
    expect(message).not.toContain('CANARY');
  });

  it('ends with that message as its only line', async () => {
    const { code, stderr } = await ServiceProcess.refusal({ env: service(pooled, direct) });
    expect(stderr).toMatch(/^DATABASE_PREPARED: [^\n]+\n$/);
    expect(code).toBe(1);
  }, 60_000);

  it.each<[string, Record<string, string>]>([
    ['transaction, without named statements', { DATABASE_URL: pooled, ...direct, ...off }],
    ['session, with named statements and for all', { DATABASE_URL: through('session') }],
  ])('is taken per %s', async (_, env) => {
    expect(await refusalOf({ ...service(databaseUrl), ...env })).toBe('none');
  });

  it('is foretold by the doctor', async () => {
    const said = async (env: Record<string, string>) => {
      const lines: string[] = [];
      for await (const { level, about } of diagnose(env)) lines.push(`${level} ${about}`);
      return lines;
    };
    expect(await said(service(pooled, direct))).toContain('FAIL DATABASE_PREPARED');
    expect(await said(service(pooled, off))).toContain('FAIL DATABASE_URL');
    const right = await said(service(pooled, { ...direct, ...off }));
    expect(right.filter((line) => line.startsWith('FAIL DATABASE'))).toEqual([]);
  }, 60_000);

  /** What a start says that goes as far as its checks of the database. */
  async function refusalOf(env: Record<string, string>): Promise<string> {
    const settings = readSettings(env);
    const config = new Config(settings, deploymentFromSettings(settings)!);
    const database = new Database(config, new Metrics());
    try {
      await new Migrations(ormOptions, config, database).prepare();
      return 'none';
    } catch (error) {
      return (error as ConfigError).message;
    } finally {
      await database.onApplicationShutdown();
    }
  }

  function without(part: 'password' | 'username' | 'pathname'): string {
    return Object.assign(new URL(pooled), { [part]: part === 'pathname' ? '/no_such' : 'CANARYnobody' }).href;
  }

  /** The settings of a service, whatever pooler the run itself has. */
  function service(url: string, env: Record<string, string> = {}): Record<string, string> {
    return { ...onDatabase(url), DATABASE_DIRECT_URL: '', DATABASE_PREPARED: 'on', DATABASE_URL: url, ...env };
  }
});
