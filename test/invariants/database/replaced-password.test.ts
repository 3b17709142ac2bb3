import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../support/database/test-database.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const login = `login_${randomUUID().slice(0, 8)}`;
const [OLD, NEW] = ['CANARY-old-password', 'CANARY-new-password'];
let administrator: pg.Client;
let app: TestApp;

beforeAll(async () => {
  const url = new URL(await freshDatabase('migrated'));
  administrator = new pg.Client({ connectionString: url.href });
  await administrator.connect();
  await administrator.query(`create role ${login} login password '${OLD}'`);
  await administrator.query(`grant br_app, br_dispatch to ${login} with inherit false, set true`);
  const databaseUrl = Object.assign(new URL(url), { username: login, password: OLD }).href;
  app = await TestApp.start({ databaseUrl, env: { DATABASE_DIRECT_URL: url.href } });
}, 60_000);
afterAll(async () => {
  await app.close();
  await administrator.query(`drop role ${login}`);
  await administrator.end();
});

it('calls work on open connections while a password is replaced, are answered 503 without one, and work again', async () => {
  const status = async () => (await app.bootstrap.get('/organizations')).status;
  expect(await status()).toBe(200);
  await administrator.query(`alter role ${login} password '${NEW}'`);
  expect(await status()).toBe(200);

  await administrator.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [login]);
  await until('no connection is left', async () => (await status()) !== 200);
  const { status: refused, headers } = await app.bootstrap.get('/organizations');
  expect([refused, headers['retry-after']]).toEqual([503, '1']);

  await administrator.query(`alter role ${login} password '${OLD}'`);
  await until('it works again', async () => (await status()) === 200);
});
