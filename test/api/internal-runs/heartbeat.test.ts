import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { lapseRun, onRun, rowsOf, type StartedRun, startedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let run: StartedRun;
beforeEach(async () => {
  run = await startedRun(app, organization.id);
});

const setRun = (change: string) =>
  app.db.query(`update run set ${change} where organization_id = $1 and id = $2`, [organization.id, run.runId]);
const beat = () => onRun(app, run, 'heartbeat');

describe('POST /internal/runs/{runId}/heartbeat: 200', () => {
  it('renews the lease and says what the worker has to know', async () => {
    await setRun(`lease_expires_at = clock_timestamp() + interval '1 second'`);
    const { status, body } = await beat();
    expect(status).toBe(200);
    expect(body.data).toEqual({
      leaseExpiresAt: expect.stringMatching(/\.\d{6}Z$/),
      heartbeatIntervalMs: 20_000,
      cancelRequested: false,
      workDispatchStopped: false,
      budget: { agentRuns: 19, attemptsInPhase: 3, replans: 3, actions: 20 },
      authorizationEpoch: 1,
      executionToken: null,
    });
    const [row] = (await rowsOf(app, run)).runs;
    expect(row.lease_expires_at - row.heartbeat_at).toBe(60_000);
    expect(row.status).toBe('starting');
  });

  it('writes no row but the run’s, and that in place', async () => {
    const before = await rowsOf(app, run);
    await beat();
    const after = await rowsOf(app, run);
    expect([after.task, after.request]).toEqual([before.task, before.request]);
    const { lease_expires_at: _lease, heartbeat_at: _beat, ...rest } = after.runs[0];
    expect(before.runs[0]).toMatchObject(rest);
  });

  it('brings a new capability once less than half of the last one’s life is left', async () => {
    await setRun(`capability_expires_at = clock_timestamp() + interval '449 seconds'`);
    const { data } = (await beat()).body;
    expect(data.executionToken).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const [row] = (await rowsOf(app, run)).runs;
    expect(row.capability_expires_at - row.heartbeat_at).toBeGreaterThanOrEqual(899_000);
    expect((await beat()).body.data.executionToken).toBeNull();
  });

  it('passes on a stop, a request to cancel, and what is left of the budget', async () => {
    await owner.put(`/organizations/${organization.id}/work-dispatch`, { status: 'stopped' });
    await setRun(`cancel_requested_at = clock_timestamp()`);
    await app.db.query(
      `update task set consumed_agent_run_count = 25, execute_failures = 1, plan_count = 3 where organization_id = $1 and id = $2`,
      [organization.id, run.taskId],
    );
    expect((await beat()).body.data).toMatchObject({
      cancelRequested: true,
      workDispatchStopped: true,
      budget: { agentRuns: 0, attemptsInPhase: 2, replans: 1, actions: 20 },
    });
  });
});

describe('POST /internal/runs/{runId}/heartbeat: 400', () => {
  it.each([
    ['no token', { leaseToken: undefined }, 'leaseToken'],
    ['a lease of its own choice', { leaseSeconds: 600 }, 'leaseSeconds'],
    ['a longer wait than between heartbeats', { waitSeconds: 21 }, 'waitSeconds'],
    ['a wait that is none', { waitSeconds: -1 }, 'waitSeconds'],
  ])('refuses %s', async (_what, overrides, path) => {
    const { status, body } = await onRun(app, run, 'heartbeat', overrides);
    expect([status, body.error.issues]).toEqual([400, [expect.objectContaining({ path })]]);
  });
});

describe('POST /internal/runs/{runId}/heartbeat: 401', () => {
  it('refuses the execution’s own capability', async () => {
    const { status, body } = await app
      .client(run.executionToken)
      .post(`/internal/runs/${run.runId}/heartbeat`, { organizationId: organization.id, leaseToken: run.leaseToken });
    expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
  });
});

describe('POST /internal/runs/{runId}/heartbeat: 409', () => {
  it.each<[string, () => Promise<StartedRun>]>([
    ['another token', async () => ({ ...run, leaseToken: 'x'.repeat(43) })],
    ['an unknown run', async () => ({ ...run, runId: randomUUID() })],
    ['an unknown organization', async () => ({ ...run, organizationId: randomUUID() })],
    ['another organization', async () => ({ ...run, organizationId: await organizationOf(owner) })],
    ['a lapsed lease', async () => (await lapseRun(app, run), run)],
    ['a run that has ended', async () => (await setRun(`status = 'succeeded'`), run)],
    ['a deleted organization', async () => (await owner.delete(`/organizations/${organization.id}`), run)],
  ])('refuses %s and renews nothing', async (_what, given) => {
    const fence = await given();
    const before = await rowsOf(app, run);
    const { status, body } = await onRun(app, fence, 'heartbeat');
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
    expect(await rowsOf(app, run)).toEqual(before);
  });
});
