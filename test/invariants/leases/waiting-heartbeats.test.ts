import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { Draining } from '../../../src/kernel/http/index.ts';
import { TurnLeasesService } from '../../../src/modules/chats/turns/turn-leases.service.ts';
import { RunHeartbeatsService } from '../../../src/modules/runs/leases/run-heartbeats.service.ts';
import { type Answer, type Client, organizationOf } from '../../support/client.ts';
import { append, type ClaimedTurn, onTurn, streamingTurn } from '../../support/factories/turns.ts';
import { onRun, rowsOf, type StartedRun, startedRun } from '../../support/factories/work.ts';
import { SERVICE_TOKEN, TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Two processes of a deployment: the worker waits in one, and what it waits for happens in the other. */
const app = useTestApp();
const other = useTestApp();
let owner: Client;
let organizationId: string;

beforeEach(async () => {
  owner = await app.person();
  organizationId = await organizationOf(owner);
});

/** What is promised is a second; a busy machine gets more, well below the time that these heartbeats wait. */
const SOON_MS = 4_000;

async function soon(answer: Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now();
  const result = await answer;
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  return result;
}

describe('the heartbeat of a run that waits', () => {
  let run: StartedRun;
  beforeEach(async () => {
    run = await startedRun(app, organizationId);
  });

  const waiting = (on: TestApp, count = 1) =>
    until(`${count} wait`, () => on.app.get(RunHeartbeatsService).waiting === count);
  /** Has begun to wait when it resolves; in a list, since a promise would be waited for. */
  const beat = async (on: TestApp, waitSeconds = 20): Promise<[Promise<Answer>]> => {
    const answer = onRun(on, run, 'heartbeat', { waitSeconds });
    await waiting(on);
    return [answer];
  };
  const runPath = () => `/organizations/${organizationId}/runs/${run.runId}`;

  it.each<[string, () => Promise<unknown>]>([
    ['the run is asked to stop', () => owner.post(`${runPath()}/cancel`, {})],
    ['its task is cancelled', () => owner.post(`/organizations/${organizationId}/tasks/${run.taskId}/cancel`, {})],
  ])('says that it was asked to stop when %s', async (_what, ask) => {
    for (const on of [other, app]) {
      const [answer] = await beat(on);
      await ask();
      const { status, body } = await soon(answer);
      expect([status, body.data.cancelRequested]).toEqual([200, true]);
      run = await startedRun(app, organizationId);
    }
  });

  it('says that dispatch stopped, and then that it runs', async () => {
    for (const status of ['stopped', 'running']) {
      const [answer] = await beat(other);
      await owner.put(`/organizations/${organizationId}/work-dispatch`, { status });
      expect((await soon(answer)).body.data.workDispatchStopped).toBe(status === 'stopped');
    }
  });

  it('waits while dispatch is stopped, and says when the authorization epoch advances', async () => {
    await owner.put(`/organizations/${organizationId}/work-dispatch`, { status: 'stopped' });
    const [answer] = await beat(other);
    await owner.patch(`/organizations/${organizationId}`, { constraints: { blockedDomains: ['rival.example'] } });
    expect((await soon(answer)).body.data).toMatchObject({ workDispatchStopped: true, authorizationEpoch: 2 });
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'another process of the worker gives it up',
      () => app.service.post(`/internal/workers/${run.workerId}/recover`, { bootId: crypto.randomUUID(), alone: true }),
    ],
    [
      'the backend ends it',
      async () => {
        await app.db.query(`update run set started_at = now() - interval '5 hours' where id = $1`, [run.runId]);
        await app.runJob('runs-expire');
      },
    ],
    [
      'its profile is deleted',
      () => owner.delete(`/organizations/${organizationId}/agent-profiles/${run.agentProfileId}`),
    ],
    ['its organization is deleted', () => owner.delete(`/organizations/${organizationId}`)],
  ])('says that the lease is over when %s', async (_what, end) => {
    const [answer] = await beat(other);
    await end();
    const { status, body } = await soon(answer);
    expect([status, body.error.code]).toEqual([409, 'run_lease_expired']);
  });

  it('says at once what was said before it came', async () => {
    await owner.post(`${runPath()}/cancel`, {});
    expect((await soon(onRun(app, run, 'heartbeat', { waitSeconds: 20 }))).body.data.cancelRequested).toBe(true);
    const unknown = { ...run, leaseToken: 'another' };
    expect((await soon(onRun(app, unknown, 'heartbeat', { waitSeconds: 20 }))).body.error.code).toBe(
      'run_lease_expired',
    );
  });

  it('brings a capability that is due at once', async () => {
    await app.db.query(`update run set capability_expires_at = now() + interval '1 minute' where id = $1`, [run.runId]);
    expect((await soon(onRun(app, run, 'heartbeat', { waitSeconds: 20 }))).body.data.executionToken).toEqual(
      expect.any(String),
    );
  });

  it('renews the lease when it comes, and is answered with that when its time is up', async () => {
    const query = jest.spyOn(pg.Client.prototype, 'query');
    const renewals = () =>
      query.mock.calls.filter(([sent]) => JSON.stringify(sent).includes('update run r set heartbeat_at')).length;
    const [answer] = await beat(app, 1);
    const [row] = (await rowsOf(app, run)).runs;
    expect(renewals()).toBe(1);
    const { status, body } = await answer;
    expect([status, new Date(body.data.leaseExpiresAt)]).toEqual([200, row.lease_expires_at]);
    expect(renewals()).toBe(1);
    query.mockRestore();
  });

  it('holds no connection while it waits', async () => {
    const [answer] = await beat(app, 5);
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    // Somebody else of the service may be at work just now.
    await until('no connection is busy', async () => {
      const { rows } = await app.db.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'business-runner' and state <> 'idle'`,
      );
      return rows.length === 0;
    });
    expect(isAnswered).toBe(false);
    await answer;
  });

  it('goes on waiting when something else happens', async () => {
    const [answer] = await beat(other, 3);
    await owner.patch(`/organizations/${organizationId}`, { name: 'Renamed' });
    const another = await startedRun(app, organizationId);
    await owner.post(`/organizations/${organizationId}/runs/${another.runId}/cancel`, {});
    await owner.put(`/organizations/${organizationId}/work-dispatch`, { status: 'running' });
    expect(await Promise.race([answer, sleep(500, 'waits')])).toBe('waits');
    expect((await answer).status).toBe(200);
  });

  it('waits no longer than until the next one is due', async () => {
    const quick = await TestApp.start({ env: { RUN_LEASE_SECONDS: '3' } });
    try {
      expect((await soon(onRun(quick, run, 'heartbeat', { waitSeconds: 20 }))).status).toBe(200);
    } finally {
      await quick.close();
    }
  });

  it('is answered when the process stops', async () => {
    const stopping = await TestApp.start();
    try {
      const [answer] = await beat(stopping);
      stopping.app.get(Draining).begin();
      expect((await soon(answer)).status).toBe(200);
      expect((await soon(onRun(stopping, run, 'heartbeat', { waitSeconds: 20 }))).status).toBe(200);
    } finally {
      await stopping.close();
    }
  });

  it('is forgotten when its client hangs up', async () => {
    await app.app.listen(0, '127.0.0.1');
    const { hostname, port } = new URL(await app.app.getUrl());
    const call = httpRequest({
      hostname,
      port,
      path: `/internal/runs/${run.runId}/heartbeat`,
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
    });
    call.on('error', () => undefined);
    call.end(JSON.stringify({ organizationId, leaseToken: run.leaseToken, waitSeconds: 20 }));
    await waiting(app);
    call.destroy();
    await waiting(app, 0);
  });
});

describe('the heartbeat of a chat turn that waits', () => {
  let turn: ClaimedTurn;
  beforeEach(async () => {
    turn = await streamingTurn(app, organizationId);
  });
  const beat = async (on: TestApp, waitSeconds = 20): Promise<[Promise<Answer>]> => {
    const answer = onTurn(on, turn, 'heartbeat', { waitSeconds });
    await until('it waits', () => on.app.get(TurnLeasesService).waiting === 1);
    return [answer];
  };

  it('says that a person asked for the end', async () => {
    for (const on of [other, app]) {
      const [answer] = await beat(on);
      const { chatId, turnId } = turn;
      const asked = await owner.post(`/organizations/${organizationId}/chats/${chatId}/messages/${turnId}/cancel`, {});
      expect(asked.status).toBeLessThan(300);
      expect((await soon(answer)).body.data).toMatchObject({ status: 'cancelling', cancelRequested: true });
      turn = await streamingTurn(app, organizationId);
    }
  });

  it('waits through the appends of its own worker', async () => {
    const [answer] = await beat(other, 3);
    await append(app, turn, 'Hello'.length, ', world');
    expect(await Promise.race([answer, sleep(500, 'waits')])).toBe('waits');
    expect((await answer).body.data).toMatchObject({ status: 'streaming', cancelRequested: false });
  });

  it('says that the lease is over when the turn is given up', async () => {
    const [answer] = await beat(other);
    const { rows } = await app.db.query('select worker_id from message where id = $1', [turn.turnId]);
    await app.service.post(`/internal/workers/${rows[0].worker_id}/recover`, {
      bootId: crypto.randomUUID(),
      alone: true,
    });
    expect((await soon(answer)).body.error.code).toBe('run_lease_expired');
  });
});
