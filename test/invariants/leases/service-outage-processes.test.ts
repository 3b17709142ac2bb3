import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { company } from '../../support/client.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { BOOTSTRAP_TOKEN, SERVICE_TOKEN } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';
import { until } from '../../support/until.ts';

/** Shortest that a lease may be; a sweep comes every 5 s. */
const LEASE_SECONDS = 3;

interface Run {
  readonly organizationId: string;
  readonly runId: string;
  readonly leaseToken: string;
}

/**
 * Processes that are stopped for longer than a lease: with all that take heartbeats stopped no run expires, however long the
 * jobs of another process go on meanwhile; a worker that stays away is found out one period after their return.
 */
describe('a service that cannot take heartbeats', () => {
  let db: pg.Pool;
  let env: Record<string, string>;
  let api: ServiceProcess;
  let jobs: ServiceProcess;
  let dead: Run;
  let living: readonly Run[];

  beforeAll(async () => {
    const url = await freshDatabase('migrated');
    db = new pg.Pool({ connectionString: url, max: 2 });
    env = onDatabase(url, { RUN_LEASE_SECONDS: String(LEASE_SECONDS) });
    [api, jobs] = await Promise.all([
      ServiceProcess.start({ env: { ...env, ROLE: 'api' } }),
      ServiceProcess.start({ env: { ...env, ROLE: 'worker' } }),
    ]);
    const made = await api.call('POST', '/organizations', BOOTSTRAP_TOKEN, company(), {
      'idempotency-key': randomUUID(),
    });
    const organizationId = made.body.data.organization.id as string;
    living = [await startedRun(organizationId), await startedRun(organizationId)];
    dead = await startedRun(organizationId);
  });
  afterAll(async () => {
    await ServiceProcess.killAll();
    await db.end();
  });

  async function startedRun(organizationId: string): Promise<Run> {
    const spec = { objective: 'Do it' };
    const task = { title: 'A task', spec, ownerAgentProfileKey: 'growth' };
    const key = { 'idempotency-key': randomUUID() };
    const { status, body } = await api.call(
      'POST',
      `/organizations/${organizationId}/tasks`,
      BOOTSTRAP_TOKEN,
      task,
      key,
    );
    if (status !== 201) throw new Error(JSON.stringify(body));
    const workerId = randomUUID();
    const claim = {
      workerId,
      bootId: randomUUID(),
      organizationIds: [organizationId],
      executionClasses: ['standard'],
      waitSeconds: 5,
    };
    const claimed = await api.call('POST', '/internal/run-requests/claim', SERVICE_TOKEN, claim);
    const { runRequestId, leaseToken } = claimed.body.data[0];
    const runId = randomUUID();
    const path = `/internal/run-requests/${runRequestId}/start`;
    const started = await api.call('POST', path, SERVICE_TOKEN, { organizationId, leaseToken, runId, workerId });
    if (started.status !== 200) throw new Error(JSON.stringify(started.body));
    return { organizationId, runId, leaseToken };
  }

  async function beat({ runId, ...fence }: Run): Promise<number> {
    return (await api.call('POST', `/internal/runs/${runId}/heartbeat`, SERVICE_TOKEN, fence)).status;
  }

  async function statuses(runs: readonly Run[]): Promise<string[]> {
    const ids = runs.map(({ runId }) => runId);
    const { rows } = await db.query<{ status: string }>(
      'select status from run where id = any($1) order by array_position($1::uuid[], id)',
      [ids],
    );
    return rows.map(({ status }) => status);
  }

  it('expires nobody for it, and the dead one period later', async () => {
    await Promise.all(living.map(beat));
    api.signal('SIGSTOP');
    // Longer than a lease and the time between two sweeps together: each lease has lapsed and has been looked at.
    await wait((LEASE_SECONDS + 6) * 1_000);
    expect(await statuses([dead, ...living])).toEqual(['starting', 'starting', 'starting']);
    api.signal('SIGCONT');
    expect(await Promise.all(living.map(beat))).toEqual([200, 200]);

    await until(
      'the dead one has expired',
      async () => {
        expect(await Promise.all(living.map(beat))).toEqual([200, 200]);
        await wait(200);
        return (await statuses([dead]))[0] === 'expired';
      },
      20_000,
    );
    expect(await beat(dead)).toBe(409);
    expect(await statuses(living)).toEqual(['starting', 'starting']);
  }, 40_000);

  it('gives every lease back when it starts again after a long stop', async () => {
    await Promise.all([api.kill(), jobs.kill()]);
    await db.query(`update lease_watch set noted_at = noted_at - interval '1 hour'`);
    await db.query(
      `update run set lease_expires_at = lease_expires_at - interval '59 minutes' where status = 'starting'`,
    );
    api = await ServiceProcess.start({ env });
    expect(await statuses(living)).toEqual(['starting', 'starting']);
    expect(await Promise.all(living.map(beat))).toEqual([200, 200]);
    expect(await beat(dead)).toBe(409);
  }, 30_000);
});
