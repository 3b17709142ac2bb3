import { beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { claim, COMPLETED, onRun, queueTasks, rowsOf, start, type StartedRun } from '../../support/factories/work.ts';
import { meetAtLock, taskLock } from '../../support/database/waiting-calls.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp();
let organizationId: string;

beforeAll(async () => {
  organizationId = await organizationOf(app.bootstrap);
});

/** Two running tasks and one that waits for both. */
async function diamond() {
  const runs: StartedRun[] = [];
  await queueTasks(app, organizationId, 2);
  for (const claimed of (await claim(app, organizationId, { limit: 2 })).body.data) {
    const runId = crypto.randomUUID();
    const { status } = await start(app, claimed, { runId });
    expect(status).toBe(200);
    runs.push({ ...claimed, runId });
  }
  const [dependent] = await queueTasks(app, organizationId, 1);
  await app.db.query(
    `update task set status = 'blocked', blockers = (select jsonb_agg(jsonb_build_object(
       'kind', 'dependency', 'dependsOnTaskId', id::text, 'since', '2026-01-01T00:00:00.000000Z')) from unnest($2::uuid[]) id)
     where id = $1`,
    [dependent!.taskId, runs.map(({ taskId }) => taskId)],
  );
  await app.db.query(`update run_request set status = 'superseded' where id = $1`, [dependent!.runRequestId]);
  await app.db.query(
    `insert into task_dependency (organization_id, task_id, depends_on_task_id, condition)
     select $1, $2, id, '{"kind":"completion"}' from unnest($3::uuid[]) id`,
    [organizationId, dependent!.taskId, runs.map(({ taskId }) => taskId)],
  );
  return { runs, dependent: dependent! };
}

it('queues the dependent exactly once when both complete at once', async () => {
  for (let round = 0; round < 25; round += 1) {
    const { runs, dependent } = await diamond();
    // Both wait for the dependent's row: neither sees the other's edge settled when it is asked first.
    const answers = await meetAtLock(
      app,
      taskLock(dependent),
      runs.map((run) => () => onRun(app, run, 'complete', COMPLETED)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { task } = await rowsOf(app, dependent);
    expect(task).toMatchObject({ status: 'pending', blockers: [] });
    const { rows } = await app.db.query(
      `select status from run_request where organization_id = $1 and task_id = $2 order by id`,
      [organizationId, dependent.taskId],
    );
    expect(rows).toEqual([{ status: 'superseded' }, { status: 'queued' }]);
    await app.db.query(`update run_request set status = 'cancelled' where status = 'queued' and organization_id = $1`, [
      organizationId,
    ]);
  }
});
