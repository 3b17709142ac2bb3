import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql as tagged } from '../../../src/kernel/database/index.ts';
import { rejoinLines } from '../../../src/modules/tasks/index.ts';
import {
  removeIdleOrganizations,
  removeIdleProfiles,
} from '../../../src/modules/runs/claims/dispatch-upkeep.queries.ts';
import { organizationOf } from '../../support/client.ts';
import { ageLines, inLine } from '../../support/factories/many-organizations.ts';
import {
  claim,
  claimOne,
  COMPLETED,
  endRest,
  lapseClaim,
  lapseRun,
  onRun,
  queueTask,
  type QueuedTask,
  rowsOf,
  type StartedRun,
  startedRun,
} from '../../support/factories/work.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

/** An organization that cannot start anything leaves the lines of claims, and comes back with the event that lets it. */
// Claims here look at all organizations that there are.
const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
let organizationId: string;
beforeEach(async () => {
  organizationId = await organizationOf(owner);
});

const sql = (text: string) => app.db.query(text, [organizationId]);
const lines = async () =>
  Promise.all(
    (['organization_dispatch', 'profile_dispatch'] as const).map(
      async (table) => (await inLine(app, table, [organizationId])).length,
    ),
  );
/** As the clock and the tick do. */
async function leave(): Promise<void> {
  await ageLines(app, [organizationId]);
  await app.runJob('run-requests-due');
}
async function left(): Promise<void> {
  await leave();
  expect(await lines()).toEqual([0, 0]);
  expect((await claim(app, organizationId)).body.data).toEqual([]);
}
const dispatch = (status: string) => owner.put(`/organizations/${organizationId}/work-dispatch`, { status });
const ofProfile = async (task: QueuedTask, status: string) => {
  const { request } = await rowsOf(app, task);
  return owner.patch(`/organizations/${organizationId}/agent-profiles/${request.agent_profile_id}`, { status });
};
const departments = (enabled: boolean) =>
  owner.patch(`/organizations/${organizationId}`, { config: { departments: { growth: { enabled } } } });

/** Found at once by both ways to look, without a tick in between. */
async function isFound({ runRequestId }: QueuedTask): Promise<void> {
  const byKey = await app.service.post('/internal/run-requests/claim', {
    workerId: 'w',
    bootId: randomUUID(),
    profileKeys: ['growth'],
    limit: 50,
  });
  expect(byKey.body.data.map((item: QueuedTask) => item.runRequestId)).toContain(runRequestId);
  await app.db.query(`update run_request set status = 'queued' where id = $1`, [runRequestId]);
  expect((await claimOne(app, organizationId)).runRequestId).toBe(runRequestId);
}

describe('what is held back comes back', () => {
  it('when dispatch runs again', async () => {
    const task = await queueTask(app, organizationId);
    await dispatch('stopped');
    await left();
    await dispatch('running');
    await isFound(task);
  });

  it('when the profile is enabled', async () => {
    const task = await queueTask(app, organizationId);
    await ofProfile(task, 'disabled');
    await left();
    await ofProfile(task, 'enabled');
    await isFound(task);
  });

  it('when the department is enabled', async () => {
    const task = await queueTask(app, organizationId);
    await departments(false);
    await left();
    await departments(true);
    await isFound(task);
  });

  it.each<[string, (run: StartedRun) => Promise<unknown>]>([
    ['completes', (run) => onRun(app, run, 'complete', COMPLETED)],
    ['fails', (run) => onRun(app, run, 'fail', { error: { code: 'broken', message: 'Broken.', retryable: false } })],
    [
      'expires',
      async (run) => {
        await lapseRun(app, run);
        await app.runJob('runs-expire');
      },
    ],
    [
      'ends as it was asked to',
      async (run) => {
        await owner.post(`/organizations/${organizationId}/runs/${run.runId}/cancel`, {});
        await onRun(app, run, 'fail', { error: { code: 'stopped', message: 'Stopped.', retryable: false } });
      },
    ],
  ])('when a run %s and its place is free', async (_what, end) => {
    for (const table of ['organization_capacity', 'profile_capacity']) {
      const run = await startedRun(app, organizationId);
      await sql(`update ${table} set max_live_runs = 1 where organization_id = $1`);
      const task = await queueTask(app, organizationId);
      await left();
      await end(run);
      await isFound(task);
      organizationId = await organizationOf(owner);
    }
  });

  it('when a request becomes ready, is given back or lapses', async () => {
    await queueTask(app, organizationId);
    await claimOne(app, organizationId);
    await left();
    const task = await queueTask(app, organizationId);
    const { leaseToken } = await claimOne(app, organizationId);
    await left();
    await app.service.post(`/internal/run-requests/${task.runRequestId}/release`, { organizationId, leaseToken });
    await endRest(app, task);
    expect((await claimOne(app, organizationId)).runRequestId).toBe(task.runRequestId);
    await left();
    await lapseClaim(app, task);
    await app.runJob('run-claims-lapsed');
    await isFound(task);
  });

  it('within seconds, whatever has let it', async () => {
    const task = await queueTask(app, organizationId);
    await sql(`update organization_capacity set max_live_runs = 0 where organization_id = $1`);
    await left();
    await sql(`update organization_capacity set max_live_runs = 1 where organization_id = $1`);
    // Long ago: only the walk over all that is ready finds it.
    for (const table of ['organization_dispatch', 'profile_dispatch'])
      await sql(`update ${table} set left_at = left_at - interval '1 hour' where organization_id = $1`);
    await app.runJob('run-requests-due');
    await isFound(task);
  });
});

describe('what may start stays', () => {
  it('beside a profile that may not, which leaves its own line', async () => {
    await queueTask(app, organizationId, { profile: 'support' });
    const task = await queueTask(app, organizationId);
    await sql(
      `update profile_capacity l set max_live_runs = 0 from agent_profile p
       where l.organization_id = $1 and p.organization_id = $1 and p.id = l.agent_profile_id and p.key = 'support'`,
    );
    await leave();
    const { rows } = await sql(
      `select profile_key from profile_dispatch where organization_id = $1 and next_ready_at is not null`,
    );
    expect(rows).toEqual([{ profile_key: 'growth' }]);
    await isFound(task);
  });

  it('for as long as it was hinted at or served a moment ago', async () => {
    await queueTask(app, organizationId);
    await claimOne(app, organizationId);
    await app.runJob('run-requests-due');
    expect(await lines()).toEqual([1, 1]);
  });
});

describe('an event that meets the leave', () => {
  it('waits for it and comes back, where it is one that happens seldom', async () => {
    const task = await queueTask(app, organizationId);
    await dispatch('stopped');
    await ageLines(app, [organizationId]);
    const client = await app.db.connect();
    try {
      await client.query('begin');
      const first = { organizationId: '00000000-0000-0000-0000-000000000000', agentProfileId: organizationId };
      for (const { text, values } of [removeIdleOrganizations(), removeIdleProfiles(first)])
        await client.query(text, [...values]);
      const resumed = dispatch('running');
      await client.query('commit');
      expect((await resumed).status).toBe(200);
    } finally {
      await client.query('rollback');
      client.release();
    }
    await isFound(task);
  });

  it('is not undone by a leave that looked before it', async () => {
    const task = await queueTask(app, organizationId);
    await dispatch('stopped');
    await ageLines(app, [organizationId]);
    const client = await app.db.connect();
    try {
      // The leave waits for nobody: a place that an event is about to write is left alone.
      await client.query('begin');
      await client.query(`update organization set work_dispatch_stopped_at = null where id = $1`, [organizationId]);
      for (const table of ['organization_dispatch', 'profile_dispatch'])
        await client.query(`update ${table} set next_ready_at = clock_timestamp() where organization_id = $1`, [
          organizationId,
        ]);
      await app.runJob('run-requests-due');
      await client.query('commit');
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(await lines()).toEqual([1, 1]);
    await isFound(task);
  });

  it('is found by the next tick, where it looked before the leave and commits behind it', async () => {
    const run = await startedRun(app, organizationId);
    await sql(`update organization_capacity set max_live_runs = 1 where organization_id = $1`);
    const task = await queueTask(app, organizationId);
    const client = await app.db.connect();
    try {
      await client.query('begin');
      await client.query(
        `update run set status = 'cancelled', finished_at = now() where organization_id = $1 and id = $2`,
        [organizationId, run.runId],
      );
      const organization = tagged`(select ${organizationId}::uuid as organization_id)`;
      const { text, values } = tagged`with ${rejoinLines(organization)} select`;
      await client.query(text, [...values]);
      await left();
      await client.query('commit');
    } finally {
      await client.query('rollback');
      client.release();
    }
    await app.runJob('run-requests-due');
    await isFound(task);
  });
});
