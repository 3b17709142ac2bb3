import { afterEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { copySchedule, createSchedule } from '../../support/factories/schedules.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

const SLOTS = 1_000;
const ORGANIZATIONS = 4;
/** How many fires a process has under way at once. */
const AT_ONCE = 2;

let app: TestApp | undefined;
afterEach(async () => {
  await ServiceProcess.killAll();
  await app?.close();
});

describe(`${SLOTS} slots on three replicas`, () => {
  it(`make ${SLOTS} tasks, though one of them is killed in the middle of its fires`, async () => {
    const databaseUrl = await freshDatabase('migrated');
    app = await TestApp.start({ databaseUrl });
    const { db } = app;
    const owner = await app.person();
    for (let n = 0; n < ORGANIZATIONS; n += 1) {
      const { id } = await createSchedule(app, await organizationOf(owner));
      await copySchedule(app, id, SLOTS / ORGANIZATIONS - 1);
    }
    // Their own research would take locks and numbers too.
    await db.query('delete from discovery_intention');
    const count = async (sql: string) => Number((await db.query<{ count: string }>(sql)).rows[0]!.count);
    const env = onDatabase(databaseUrl, { ROLE: 'worker' });
    const replicas = await Promise.all([1, 2, 3].map(() => ServiceProcess.start({ env })));

    // Nobody inserts a task: each replica stands in the middle of as many fires as it has under way, at this lock or at
    // the counter of numbers, which a fire in front holds.
    const holder = await db.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table task in share row exclusive mode');
      await db.query(`update schedule set next_run_at = date_trunc('second', clock_timestamp())`);
      const standing = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      const all = replicas.length * AT_ONCE;
      await until('every replica is firing', async () => (await count(standing)) === all, 8_000);
      await replicas[0]!.kill();
      await holder.query('commit');
    } finally {
      holder.release(true);
    }

    const due = 'select count(*) from schedule where next_run_at <= clock_timestamp()';
    await until('all slots are taken', async () => (await count(due)) === 0, 120_000);
    expect(await count('select count(*) from task')).toBe(SLOTS);
    expect(await count('select count(distinct dedupe_key) from task')).toBe(SLOTS);
    expect(
      await count(
        `select count(distinct o.task_id) from schedule_occurrence o
         join task t on t.organization_id = o.organization_id and t.id = o.task_id
         join schedule s on s.organization_id = o.organization_id and s.id = o.schedule_id and s.last_task_id = t.id
         where o.status = 'created' and o.origin = 'timer' and s.missed_count = 0`,
      ),
    ).toBe(SLOTS);
    expect(await count('select count(*) from schedule_occurrence')).toBe(SLOTS);
    expect(await count(`select count(*) from run_request where status = 'queued'`)).toBe(SLOTS);
    // Numbers have no gaps either.
    expect(await count('select sum(last_number) as count from task_identifier')).toBe(SLOTS);
  }, 180_000);
});
