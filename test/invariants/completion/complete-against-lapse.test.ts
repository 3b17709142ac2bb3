import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { COMPLETED, lapseRun, onRun, rowsOf, startedRun, type StartedRun } from '../../support/factories/work.ts';

let app: TestApp;
/** A second process' view: its sweep meets the first one's completions. */
let other: TestApp;
let organizationId: string;

beforeAll(async () => {
  app = await TestApp.start();
  other = await TestApp.start();
  organizationId = await organizationOf(app.bootstrap);
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const complete = (run: StartedRun) => onRun(app, run, 'complete', COMPLETED);

/** Holds the task's row, as any move of it does, while `work` starts calls that wait for it. */
async function whileTaskIsHeld<T>({ organizationId: org, taskId }: StartedRun, work: () => Promise<T>): Promise<T> {
  const holder = await app.db.connect();
  try {
    await holder.query('begin');
    await holder.query('select from task where organization_id = $1 and id = $2 for update', [org, taskId]);
    return await work();
  } finally {
    await holder.query('commit');
    holder.release();
  }
}

async function waiting(calls: number): Promise<void> {
  await until(`${calls} calls wait`, async () => {
    const { rows } = await app.db.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].n >= calls;
  });
}

it('refuses a completion whose lease lapsed while it waited for a lock, and changes nothing', async () => {
  const run = await startedRun(app, organizationId);
  let before: unknown;
  const { answer } = await whileTaskIsHeld(run, async () => {
    const pending = complete(run);
    await waiting(1);
    await lapseRun(app, run);
    before = await rowsOf(app, run);
    return { answer: pending };
  });
  const { status, body } = await answer;
  expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
  expect(await rowsOf(app, run)).toEqual(before);
  await other.runJob('runs-expire');
  expect(await rowsOf(app, run)).toMatchObject({
    task: { status: 'pending' },
    request: { status: 'queued', attempt_count: 1 },
    runs: [{ status: 'expired' }],
  });
  expect((await complete(run)).body.error.code).toBe('run_lease_expired');
});

it('leaves a completed run to itself, though its lease has lapsed', async () => {
  const run = await startedRun(app, organizationId);
  expect((await complete(run)).status).toBe(200);
  await lapseRun(app, run);
  const before = await rowsOf(app, run);
  await other.runJob('runs-expire');
  expect(await rowsOf(app, run)).toEqual(before);
  expect(before).toMatchObject({ task: { status: 'completed' }, runs: [{ status: 'succeeded' }] });
});

it('has one serial outcome when the sweep and a completion meet as the lease ends', async () => {
  for (let round = 0; round < 30; round += 1) {
    const run = await startedRun(app, organizationId);
    // Some of these end before the completion is in, some after it, and some between its locks.
    await app.db.query(
      `update run set lease_expires_at = clock_timestamp() + $3 * interval '1 ms' where organization_id = $1 and id = $2`,
      [organizationId, run.runId, round % 15],
    );
    const [completion] = await Promise.all([complete(run), other.runJob('runs-expire'), other.runJob('runs-expire')]);
    await lapseRun(app, run);
    await other.runJob('runs-expire');
    const { task, runs } = await rowsOf(app, run);
    const found = [completion.status, task.status, runs.map(({ status }: { status: string }) => status).join()];
    expect(['200 completed succeeded', '409 pending expired']).toContain(found.join(' '));
    await app.db.query(`update run_request set status = 'cancelled' where task_id = $1 and status = 'queued'`, [
      run.taskId,
    ]);
  }
});
