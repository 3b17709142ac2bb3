import { expect, it } from '@jest/globals';
import { freshDatabase } from '../../support/database/test-database.ts';
import { scrape } from '../../support/scrape.ts';
import { TestApp } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
const away = useTestApp({ ownDatabase: true });

/** Longer than the bound of 2 s, for a busy machine. */
const LIMIT_MS = 10_000;

it('a scrape is answered while the database is away, without what only it knows, and says so', async () => {
  const database = new URL(away.databaseUrl).pathname.slice(1);
  const before = await scrape(away);
  expect([before.of('database_up'), before.of('database_migrations_missing')]).toEqual([1, 0]);
  expect(before.of('run_requests', { state: 'ready' })).toBe(0);
  expect(before.of('counts_timestamp_seconds')).toBeGreaterThan(0);

  await app.db.query(`alter database ${database} with allow_connections false`);
  await app.db.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1`, [database]);
  const startedAt = performance.now();
  const without = await scrape(away);
  expect(performance.now() - startedAt).toBeLessThan(LIMIT_MS);
  expect(without.of('database_up')).toBe(0);
  const known = [...without.series.keys()].map((key) => key.split('{')[0]);
  for (const name of ['run_requests', 'runs_live', 'chat_turns', 'organizations_in_line', 'counts_timestamp_seconds'])
    expect(known).not.toContain(`business_runner_${name}`);
  expect(without.of('http_requests_in_flight')).toBe(1);

  await app.db.query(`alter database ${database} with allow_connections true`);
  const again = await scrape(away);
  expect([again.of('database_up'), again.of('run_requests', { state: 'ready' })]).toEqual([1, 0]);
});

it('a scrape counts migrations that are missing', async () => {
  const behind = await TestApp.start({ databaseUrl: await freshDatabase('migrated') });
  await behind.db.query(`delete from mikro_orm_migrations where id = (select max(id) from mikro_orm_migrations)`);
  const missing = (await scrape(behind)).of('database_migrations_missing');
  await behind.close();
  expect(missing).toBe(1);
});
