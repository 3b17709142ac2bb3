import { describe, expect, it } from '@jest/globals';
import {
  claim,
  claimOne,
  lapseClaim,
  queueTask,
  queueTasks,
  rowsOf,
  start,
  startedRun,
  lapseRun,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** What the clock does to queued and claimed work. */
const { app, owner, organization } = useOrganization({ per: 'test' });

const sql = (text: string) => app.db.query(text, [organization.id]);
const hint = async () =>
  (await sql(`select next_ready_at from organization_dispatch where organization_id = $1`)).rows[0]?.next_ready_at ??
  null;

describe('the tick', () => {
  it('makes ready what has come due, and nothing else', async () => {
    const [due, later] = await queueTasks(app, organization.id, 2, {
      scheduledAt: `clock_timestamp() + interval '1 hour'`,
    });
    await app.db.query(
      `update run_request set available_at = clock_timestamp() where organization_id = $1 and id = $2`,
      [organization.id, due!.runRequestId],
    );
    await app.runJob('run-requests-due');
    expect((await rowsOf(app, due!)).request.ready).toBe(true);
    expect((await rowsOf(app, later!)).request.ready).toBe(false);
    expect((await claimOne(app, organization.id)).runRequestId).toBe(due!.runRequestId);
  });

  it('makes more ready than one statement moves', async () => {
    await queueTasks(app, organization.id, 700, { scheduledAt: `clock_timestamp() + interval '1 hour'` });
    await sql(`update run_request set available_at = clock_timestamp() where organization_id = $1`);
    await app.runJob('run-requests-due');
    const { rows } = await sql(`select from run_request where organization_id = $1 and ready`);
    expect(rows).toHaveLength(700);
  });

  it('mends hints: sets lost ones, takes idle ones back', async () => {
    const task = await queueTask(app, organization.id);
    await sql(`update organization_dispatch set next_ready_at = null where organization_id = $1`);
    expect((await claim(app, organization.id)).body.data).toEqual([]);
    await app.runJob('run-requests-due');
    expect(await hint()).not.toBeNull();
    expect((await claimOne(app, organization.id)).runRequestId).toBe(task.runRequestId);
    // Not while work comes and goes: a request that is being queued finds the hint standing.
    await app.runJob('run-requests-due');
    expect(await hint()).not.toBeNull();
    await sql(
      `update organization_dispatch set next_ready_at = next_ready_at - interval '1 minute',
         last_served_at = last_served_at - interval '1 minute' where organization_id = $1`,
    );
    await app.runJob('run-requests-due');
    expect(await hint()).toBeNull();
    // What is given back is found again.
    await lapseClaim(app, task);
    await app.runJob('run-claims-lapsed');
    expect(await hint()).not.toBeNull();
  });
});

describe('lapsed claims', () => {
  it('are queued again without counting an attempt', async () => {
    const task = await queueTask(app, organization.id);
    await claimOne(app, organization.id);
    await app.runJob('run-claims-lapsed');
    expect((await rowsOf(app, task)).request.status).toBe('claimed');
    await lapseClaim(app, task);
    await app.runJob('run-claims-lapsed');
    expect((await rowsOf(app, task)).request).toMatchObject({
      status: 'queued',
      ready: true,
      lapse_count: 1,
      attempt_count: 0,
      release_count: 0,
      claim_token_hash: null,
    });
  });

  it('wait after ten in a row, and the organization is told', async () => {
    const task = await queueTask(app, organization.id);
    for (let lapse = 1; lapse <= 10; lapse += 1) {
      await claimOne(app, organization.id);
      await lapseClaim(app, task);
      await app.runJob('run-claims-lapsed');
    }
    const { request } = await rowsOf(app, task);
    expect(request).toMatchObject({ status: 'queued', ready: false, lapse_count: 0, attempt_count: 0 });
    const { rows } = await sql(
      `select extract(epoch from available_at - updated_at)::int as wait from run_request where organization_id = $1`,
    );
    expect(rows[0].wait).toBe(300);
    const { body } = await owner.get(`/organizations/${organization.id}/activity?verb=run_request.deferred`);
    expect(body.data).toMatchObject([
      {
        actor: { kind: 'system' },
        subject: { kind: 'run_request', id: task.runRequestId },
        details: { taskId: task.taskId },
      },
    ]);
  });

  it('in a row: a start between them begins the count anew', async () => {
    const task = await queueTask(app, organization.id);
    await claimOne(app, organization.id);
    await lapseClaim(app, task);
    await app.runJob('run-claims-lapsed');
    await start(app, await claimOne(app, organization.id));
    expect((await rowsOf(app, task)).request.lapse_count).toBe(0);
  });
});

describe('backoff', () => {
  it('keeps an expired run’s request out of the way until the tick finds it due', async () => {
    const run = await startedRun(app, organization.id);
    await lapseRun(app, run);
    await app.runJob('runs-expire');
    const { request } = await rowsOf(app, run);
    expect([request.status, request.ready]).toEqual(['queued', false]);
    expect((await claim(app, organization.id)).body.data).toEqual([]);
    await sql(`update run_request set available_at = clock_timestamp() where organization_id = $1`);
    await app.runJob('run-requests-due');
    const again = await start(app, await claimOne(app, organization.id));
    expect(again.body.data.attempt).toBe(2);
  });
});
