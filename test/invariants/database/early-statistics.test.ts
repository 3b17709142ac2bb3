import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asDispatch } from '../../../src/kernel/tenancy/index.ts';
import { completionLocks } from '../../../src/modules/runs/completion/plain-completions.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { TestApp } from '../../support/test-app.ts';
import { queueTasks, startedRun } from '../../support/factories/work.ts';

const TABLES = ['run', 'run_request', 'task'];
/** More of them, and those who seed tasks analyze the tables. */
const FEWER_THAN_SEEDS_ANALYZE = 90;

let app: TestApp;
let organizationId: string;

beforeAll(async () => {
  app = await TestApp.start({ databaseUrl: await freshDatabase('migrated') });
  // Autovacuum would do once a minute what is shown here.
  for (const table of TABLES) await app.db.query(`alter table ${table} set (autovacuum_enabled = off)`);
  organizationId = await organizationOf(await app.person());
});
afterAll(() => app.close());

describe('a connection that planned while tables were empty', () => {
  it('goes by keys as soon as the job has run', async () => {
    const connection = await app.db.connect();
    try {
      const call = { organizationId, runId: randomUUID(), tokenHash: Buffer.alloc(32) };
      const { text, values } = completionLocks([call])[0]!;
      const enter = async () => {
        await connection.query('begin');
        await connection.query(asDispatch().text, [...asDispatch().values]);
      };
      await startedRun(app, organizationId);
      await enter();
      await connection.query(`set local plan_cache_mode = 'force_generic_plan'`);
      await connection.query({ name: 'locks', text, values: [...values] });
      await connection.query('commit');
      await queueTasks(app, organizationId, FEWER_THAN_SEEDS_ANALYZE);
      await untilCounted('task', FEWER_THAN_SEEDS_ANALYZE);
      await app.runJob('tables-analyze');
      await enter();
      await connection.query(`set local plan_cache_mode = 'force_generic_plan'`);
      const { rows } = await connection.query<{ 'QUERY PLAN': string }>(
        `explain execute locks ('{${organizationId}}', '{${call.runId}}')`,
      );
      await connection.query('rollback');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Scan using task_pkey on task t .*\n\s+Index Cond: \(\(organization_id = .*id = /);
    } finally {
      connection.release();
    }
  });
});

describe('the job', () => {
  it('leaves alone what has not grown, and what is large', async () => {
    await queueTasks(app, organizationId, FEWER_THAN_SEEDS_ANALYZE);
    await untilCounted('run_request', FEWER_THAN_SEEDS_ANALYZE);
    await app.runJob('tables-analyze');
    const first = await analyses();
    await app.runJob('tables-analyze');
    expect(await analyses()).toEqual(first);
    await app.db.query(`update pg_class set reltuples = 20000 where oid = 'run_request'::regclass`);
    for (let change = 0; change < 4; change += 1)
      await app.db.query('update run_request set updated_at = updated_at where organization_id = $1', [organizationId]);
    await untilCounted('run_request', 4 * FEWER_THAN_SEEDS_ANALYZE);
    await app.runJob('tables-analyze');
    expect((await analyses()).run_request).toEqual(first.run_request);
  });
});

/** How often each table was analyzed by whom it may concern. */
async function analyses(): Promise<Record<string, string>> {
  const { rows } = await app.db.query<{ name: string; count: string }>(
    `select relname as name, analyze_count as count from pg_stat_user_tables where relname = any($1)`,
    [TABLES],
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** Waits until the server has added up what its sessions changed since the last analysis; each reports on its own. */
async function untilCounted(table: string, changes: number): Promise<void> {
  for (;;) {
    const { rows } = await app.db.query<{ changes: number }>(
      'select pg_stat_get_mod_since_analyze($1::regclass)::int as changes',
      [table],
    );
    if (rows[0]!.changes >= changes) return;
    await wait(50);
  }
}
