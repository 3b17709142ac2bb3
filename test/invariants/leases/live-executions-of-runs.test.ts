import { beforeEach, describe, expect, it } from '@jest/globals';
import { Capabilities, LiveExecutions } from '../../../src/kernel/auth/index.ts';
import { Reads, sql } from '../../../src/kernel/database/index.ts';
import { lapseRun, onRun, rowsOf, type StartedRun, startedRun } from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/** A run's capability opens its organization while the run lives, and not a moment longer. */
const { app, owner, organization } = useOrganization({ per: 'test' });
let run: StartedRun;
beforeEach(async () => {
  run = await startedRun(app, organization.id);
});

async function enter(options?: { enabledProfile: boolean }, token = run.executionToken): Promise<string> {
  const principal = await app.app.get(Capabilities).verify(token);
  const access = app.app.get(LiveExecutions).access({ ...principal!, scope: null }, options);
  const entered = sql<{ id: string }>`select id from organization where id = ${organization.id}`;
  return app.app
    .get(Reads)
    .through(access, entered)
    .then(
      ([row]) => (row?.id === organization.id ? 'in' : 'lost'),
      (error: { row: { code: string } }) => error.row.code,
    );
}

const profilePath = () => `/organizations/${organization.id}/agent-profiles/${run.agentProfileId}`;

describe('the capability of a run', () => {
  it('names the run and opens its organization', async () => {
    expect(await app.app.get(Capabilities).verify(run.executionToken)).toMatchObject({
      organizationId: organization.id,
      agentProfileId: run.agentProfileId,
      profileKey: 'growth',
      profileKind: 'department',
      department: 'growth',
      execution: 'task_run',
      executionId: run.runId,
      mode: 'execute',
      generation: 1,
    });
    expect(await enter({ enabledProfile: true })).toBe('in');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the run has ended', () => onRun(app, run, 'fail', { error: { code: 'x', message: 'X.', retryable: true } })],
    ['its lease has lapsed', () => lapseRun(app, run)],
    ['its profile is deleted', () => owner.delete(profilePath())],
  ])('is over when %s', async (_what, end) => {
    await end();
    expect(await enter()).toBe('state_conflict');
  });

  it('is over with its time, which a heartbeat renews', async () => {
    await app.db.query(`update run set capability_expires_at = clock_timestamp() where organization_id = $1`, [
      organization.id,
    ]);
    const { data } = (await onRun(app, run, 'heartbeat')).body;
    expect(await enter(undefined, data.executionToken)).toBe('in');
  });

  it('lets a disabled profile go on, but begin nothing', async () => {
    await owner.patch(profilePath(), { status: 'disabled' });
    expect([await enter(), await enter({ enabledProfile: true })]).toEqual(['in', 'state_conflict']);
    expect((await onRun(app, run, 'heartbeat')).status).toBe(200);
  });
});

describe('a deleted profile', () => {
  it('has no live lease from the answer on', async () => {
    expect((await owner.delete(profilePath())).status).toBe(200);
    for (const call of ['heartbeat', 'running'])
      expect(
        (await onRun(app, run, call, call === 'running' ? { harness: 'h', model: 'm', workspaceUri: 'w' } : {})).body
          .error.code,
      ).toBe('run_lease_expired');
    await app.runJob('runs-expire');
    expect((await rowsOf(app, run)).runs[0].status).toBe('expired');
  });
});

describe('work in flight', () => {
  it('counts the live runs', async () => {
    const { data } = (await owner.get(`/organizations/${organization.id}/work-dispatch`)).body;
    expect(data.runningRuns).toBe(1);
  });
});
