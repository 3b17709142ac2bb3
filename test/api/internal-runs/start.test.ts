import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import {
  type Claimed,
  claimOne,
  lapseClaim,
  lapseRun,
  onRun,
  queueTask,
  rowsOf,
  start,
  startClaimed,
  startedRun,
  WORKPLACE,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let claimed: Claimed;
beforeEach(async () => {
  await queueTask(app, organization.id);
  claimed = await claimOne(app, organization.id);
});

const sql = (text: string, ...values: unknown[]) => app.db.query(text, [organization.id, ...values]);
const setTask = (change: string) =>
  sql(`update task set ${change} where organization_id = $1 and id = $2`, claimed.taskId);

/** Another task of the organization on which the claimed one depends. */
async function dependOn(status: string, required = true): Promise<string> {
  const { taskId } = await queueTask(app, organization.id, { scheduledAt: `clock_timestamp() + interval '1 day'` });
  await sql(
    `insert into task_dependency (organization_id, task_id, depends_on_task_id, status, required, condition)
     values ($1, $2, $3, $4, $5, '{"kind":"completion"}')`,
    claimed.taskId,
    taskId,
    status,
    required,
  );
  return taskId;
}

const blockOn = (kind: string, id: string) =>
  setTask(
    `status = 'blocked', blockers = '[{"kind":"${kind}","dependsOnTaskId":"${id}","since":"2026-01-01T00:00:00.000000Z"}]'`,
  );

describe('POST /internal/run-requests/{runRequestId}/start: 200', () => {
  it('makes a run under its lease and counts it', async () => {
    const runId = randomUUID();
    const { status, body } = await start(app, claimed, { runId, workerId: 'w' });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      kind: 'run',
      organizationId: organization.id,
      agentProfileId: claimed.agentProfileId,
      taskId: claimed.taskId,
      runRequestId: claimed.runRequestId,
      runId,
      attempt: 1,
      leaseExpiresAt: expect.stringMatching(/\.\d{6}Z$/),
      heartbeatIntervalMs: 20_000,
      executionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const { task, request, runs } = await rowsOf(app, claimed);
    expect(task).toMatchObject({ status: 'running', version: 2, agent_run_count: 1, consumed_agent_run_count: 1 });
    expect(task.started_at).not.toBeNull();
    expect(request).toMatchObject({ status: 'running', attempt_count: 1, last_run_id: runId });
    expect(runs).toEqual([
      expect.objectContaining({
        id: runId,
        status: 'starting',
        attempt: 1,
        mode: 'execute',
        worker_id: 'w',
        boot_id: request.boot_id,
        task_version: 2,
        model: 'default',
        catalog_revision: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    ]);
    expect(runs[0].lease_expires_at - runs[0].started_at).toBe(60_000);
    expect(runs[0].capability_expires_at - runs[0].started_at).toBe(900_000);
  });

  it('answers a repeat with the present lease and a fresh capability, and counts nothing', async () => {
    const body = { runId: randomUUID(), workerId: 'w' };
    const first = await start(app, claimed, body);
    const again = await start(app, claimed, body);
    expect(again.body.data).toEqual({ ...first.body.data, executionToken: expect.any(String) });
    expect(again.body.data.executionToken).not.toBe(first.body.data.executionToken);
    const { task, request, runs } = await rowsOf(app, claimed);
    expect([task.agent_run_count, request.attempt_count, runs.length]).toEqual([1, 1, 1]);
  });

  it('takes the boot that it is told', async () => {
    const bootId = randomUUID();
    await start(app, claimed, { bootId });
    expect((await rowsOf(app, claimed)).runs[0].boot_id).toBe(bootId);
  });

  it.each(['satisfied', 'waived'])('starts a blocked task whose edge is %s, and clears the blocker', async (status) => {
    await blockOn('dependency', await dependOn(status));
    expect((await start(app, claimed)).status).toBe(200);
    expect((await rowsOf(app, claimed)).task).toMatchObject({ status: 'running', blockers: [] });
  });

  it('starts over an optional edge', async () => {
    await blockOn('dependency', await dependOn('pending', false));
    expect((await start(app, claimed)).status).toBe(200);
  });

  it('adds capacity rows that an older release made without', async () => {
    await sql(`delete from profile_capacity where organization_id = $1`);
    await sql(`delete from organization_capacity where organization_id = $1`);
    expect((await start(app, claimed)).status).toBe(200);
  });

  it('gives the next attempt a higher number', async () => {
    const run = await startClaimedAgain();
    expect(run.status).toBe(200);
    expect(run.body.data.attempt).toBe(2);
  });

  async function startClaimedAgain() {
    const runId = randomUUID();
    await start(app, claimed, { runId });
    await lapseRun(app, { ...claimed, runId, workerId: '', bootId: '', executionToken: '' });
    await app.runJob('runs-expire');
    await sql(
      `update run_request set ready = true, available_at = clock_timestamp() where organization_id = $1 and id = $2`,
      claimed.runRequestId,
    );
    return start(app, await claimOne(app, organization.id));
  }
});

describe('POST /internal/run-requests/{runRequestId}/start: 400', () => {
  it.each([
    ['no run', { runId: undefined }, 'runId', 'required'],
    ['a run that is no UUID', { runId: 'mine' }, 'runId', 'invalid_uuid'],
    ['no worker', { workerId: undefined }, 'workerId', 'required'],
    ['no token', { leaseToken: undefined }, 'leaseToken', 'required'],
    ['no organization', { organizationId: undefined }, 'organizationId', 'required'],
    ['a deadline of its own', { leaseSeconds: 1 }, 'leaseSeconds', 'unknown_property'],
  ])('refuses %s', async (_what, overrides, path, code) => {
    const { status, body } = await start(app, claimed, overrides);
    expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path, code })]]);
  });
});

describe('POST /internal/run-requests/{runRequestId}/start: 401', () => {
  it('refuses an owner', async () => {
    const { status, body } = await owner.post(`/internal/run-requests/${claimed.runRequestId}/start`, {});
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

describe('POST /internal/run-requests/{runRequestId}/start: 409 run_lease_expired', () => {
  const refused = async (answer: Promise<{ status: number; body: { error: { code: string } } }>) => {
    const before = await rowsOf(app, claimed);
    const { status, body } = await answer;
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    expect(await rowsOf(app, claimed)).toEqual(before);
  };

  it('refuses another token', () => refused(start(app, { ...claimed, leaseToken: 'x'.repeat(43) })));
  it('refuses an unknown request', () => refused(start(app, { ...claimed, runRequestId: randomUUID() })));
  it('refuses an unknown organization', () => refused(start(app, { ...claimed, organizationId: randomUUID() })));
  it('refuses a request of another organization', async () => {
    await refused(start(app, { ...claimed, organizationId: await organizationOf(owner) }));
  });
  it('refuses a lapsed claim', async () => {
    await lapseClaim(app, claimed);
    await refused(start(app, claimed));
  });
  it('refuses a released claim', async () => {
    await app.service.post(`/internal/run-requests/${claimed.runRequestId}/release`, {
      organizationId: organization.id,
      leaseToken: claimed.leaseToken,
    });
    await refused(start(app, claimed));
  });
  it.each(['cancelled', 'superseded'])('refuses a request that is %s', async (status) => {
    await sql(
      `update run_request set status = $3 where organization_id = $1 and id = $2`,
      claimed.runRequestId,
      status,
    );
    await refused(start(app, claimed));
  });
  it('refuses a second run of one claim, and another worker’s repeat', async () => {
    const runId = randomUUID();
    await start(app, claimed, { runId, workerId: 'w' });
    await refused(start(app, claimed, { workerId: 'w' }));
    await refused(start(app, claimed, { runId, workerId: 'v' }));
  });
  it('refuses a repeat after the run has ended', async () => {
    const runId = randomUUID();
    await start(app, claimed, { runId, workerId: 'w' });
    await onRun(app, { ...claimed, runId }, 'fail', { error: { code: 'broken', message: 'Broken.', retryable: true } });
    await refused(start(app, claimed, { runId, workerId: 'w' }));
  });
  it('refuses an organization that is being deleted', async () => {
    await owner.delete(`/organizations/${organization.id}`);
    const { status, body } = await start(app, claimed);
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
  });
});

describe('POST /internal/run-requests/{runRequestId}/start: 409 state_conflict', () => {
  const conflict = async (issue: string, answer = start(app, claimed)) => {
    const { status, body } = await answer;
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
    expect(body.error.issues).toEqual([expect.objectContaining({ code: issue })]);
  };
  /** The claim stands, nothing is counted, and the start passes once the reason is gone. */
  const unchanged = async (issue: string, undo: () => Promise<unknown>) => {
    const before = await rowsOf(app, claimed);
    await conflict(issue);
    expect(await rowsOf(app, claimed)).toEqual(before);
    await undo();
    expect((await start(app, claimed)).status).toBe(200);
  };

  it('capacity of the organization', async () => {
    await sql(`update organization_capacity set max_live_runs = 0 where organization_id = $1`);
    await unchanged('capacity_exceeded', () =>
      sql(`update organization_capacity set max_live_runs = 1 where organization_id = $1`),
    );
  });
  it('capacity of the profile, which another profile does not share', async () => {
    await startedRun(app, organization.id, { profile: 'support' });
    await queueTask(app, organization.id);
    const second = await claimOne(app, organization.id);
    await sql(`update profile_capacity set max_live_runs = 1 where organization_id = $1`);
    await start(app, claimed);
    await conflict('capacity_exceeded', start(app, second));
  });
  it('a stopped dispatch', async () => {
    await owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'stopped' });
    await unchanged('work_dispatch_stopped', () =>
      owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'running' }),
    );
  });
  it('a disabled profile', async () => {
    const path = `/organizations/${organization.id}/agent-profiles/${claimed.agentProfileId}`;
    await owner.patch(path, { status: 'disabled' });
    await unchanged('profile_disabled', () => owner.patch(path, { status: 'enabled' }));
  });
  it('a task that is not due', async () => {
    await setTask(`scheduled_at = clock_timestamp() + interval '1 hour'`);
    await unchanged('task_not_ready', () => setTask(`scheduled_at = null`));
  });
  it('a task that is blocked, whose request is superseded', async () => {
    await blockOn('dependency', await dependOn('pending'));
    await conflict('task_not_ready');
    expect((await rowsOf(app, claimed)).request).toMatchObject({ status: 'superseded', attempt_count: 0 });
    expect((await start(app, claimed)).body.error.code).toBe('run_lease_expired');
  });
  it.each(['handoff', 'action', 'integration', 'operator', 'dependency_failed'])(
    'a task blocked by %s',
    async (kind) => {
      await blockOn(kind, randomUUID());
      await conflict('task_not_ready');
      expect((await rowsOf(app, claimed)).request.status).toBe('superseded');
    },
  );
  it('a task that has ended, whose request is cancelled', async () => {
    await setTask(`status = 'completed', completed_at = clock_timestamp()`);
    await conflict('task_ended');
    expect((await rowsOf(app, claimed)).request.status).toBe('cancelled');
  });
  it('a used-up budget, which fails request and task', async () => {
    await setTask(`max_agent_runs = 1, consumed_agent_run_count = 1`);
    await conflict('budget_exhausted');
    const { task, request, runs } = await rowsOf(app, claimed);
    expect([task.status, task.result.code, request.status, runs]).toEqual(['failed', 'budget_exhausted', 'failed', []]);
  });
  it('a run id that another request uses, which leaves the claim', async () => {
    const runId = randomUUID();
    await start(app, claimed, { runId });
    await queueTask(app, organization.id);
    const other = await claimOne(app, organization.id);
    await conflict('run_id_in_use', start(app, other, { runId }));
    expect((await start(app, other)).status).toBe(200);
  });
  it('the run id of an earlier attempt', async () => {
    const runId = randomUUID();
    await start(app, claimed, { runId });
    const run = { ...claimed, runId };
    await onRun(app, run, 'running', WORKPLACE);
    await onRun(app, run, 'fail', {
      error: { code: 'broken', message: 'Broken.', retryable: true, retryAfterSeconds: 0 },
    });
    await conflict('run_id_in_use', start(app, await claimOne(app, organization.id), { runId }));
    expect((await startClaimed(app, await organizationWithTask())).runId).not.toBe(runId);
  });

  async function organizationWithTask(): Promise<string> {
    const other = await organizationOf(owner);
    await queueTask(app, other);
    return other;
  }
});
