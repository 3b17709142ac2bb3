import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Database } from '../../../src/kernel/database/index.ts';
import { organizationOf } from '../../support/client.ts';
import { listening } from '../../support/event-reader.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true, env: { DATABASE_POOL_SIZE: '6' } });
let baseUrl: string;

beforeAll(async () => {
  baseUrl = await listening(app);
});
afterEach(() => void jest.restoreAllMocks());

/** Takes every connection of the lanes, as calls that never come to an end would; answers how to give them back. */
async function takeAll(): Promise<() => void> {
  const { urgent, ordinary, background } = app.app.get(Database)['lanes'];
  const taken: pg.PoolClient[] = [];
  for (const { connections } of [urgent, ordinary, background]) {
    const { pool } = connections.app;
    while (pool.totalCount < pool.options.max || pool.idleCount > 0) taken.push(await pool.connect());
  }
  return () => taken.forEach((client) => client.release());
}

describe('200', () => {
  it.each(['/health/live', '/health/ready'])('HEAD %s has no body', async (path) => {
    const answer = await fetch(baseUrl + path, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('ready, while all connections are busy', async () => {
    const giveBack = await takeAll();
    const probes = await Promise.all(Array.from({ length: 50 }, () => app.anonymous.get('/health/ready')));
    giveBack();
    expect(probes.map(({ body }) => body.data)).toEqual(probes.map(() => ({ status: 'ready', degraded: [] })));
  });

  it('ready, with migrations of a newer build', async () => {
    await app.db.query(`insert into mikro_orm_migrations (name) values ('Migration99991231235959OfANewerBuild')`);
    expect((await app.anonymous.get('/health/ready')).status).toBe(200);
  });

  it('live, when nothing was asked for a minute, or what was asked for is served again', async () => {
    const realNow = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + 3_600_000);
    expect((await app.anonymous.get('/health/live')).status).toBe(200);
  });
});

describe('503', () => {
  it('live, once the connections have served nothing for a minute', async () => {
    const owner = await app.person();
    await organizationOf(owner);
    const giveBack = await takeAll();
    const waiting = owner.get('/organizations');
    expect((await app.anonymous.get('/health/live')).status).toBe(200);
    const realNow = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => realNow() + 61_000);
    const stuck = await app.anonymous.get('/health/live');
    const head = await app.anonymous.send('HEAD', '/health/live');
    giveBack();
    await waiting;
    expect([stuck.status, stuck.body.error.issues[0].code, head.status]).toEqual([503, 'connections_stuck', 503]);
    expect((await app.anonymous.get('/health/live')).status).toBe(200);
  });

  it('ready, without the database, and live all the same', async () => {
    const away = await TestApp.start({ databaseUrl: await freshDatabase('migrated') });
    const other = new URL(away.databaseUrl).pathname.slice(1);
    await app.db.query(`alter database ${other} with allow_connections false`);
    await app.db.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [other]);
    const [ready, live] = [await away.anonymous.get('/health/ready'), await away.anonymous.get('/health/live')];
    await app.db.query(`alter database ${other} with allow_connections true`);
    const again = await away.anonymous.get('/health/ready');
    await away.close();
    expect([ready.status, ready.body.error.issues[0].code, live.status, again.status]).toEqual([
      503,
      'database_unreachable',
      200,
      200,
    ]);
  });
});
