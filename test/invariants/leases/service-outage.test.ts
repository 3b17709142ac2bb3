import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LeaseWatcher } from '../../../src/kernel/leases/index.ts';
import {
  append,
  type ClaimedTurn,
  heldTurn,
  lapseTurn,
  onTurn,
  streamingTurn,
  turnRow,
} from '../../support/factories/turns.ts';
import {
  type Claimed,
  claimOne,
  COMPLETED,
  lapseClaim,
  lapseRun,
  onRun,
  queueTask,
  rowsOf,
  start,
  type StartedRun,
  startedRun,
  WORKPLACE,
} from '../../support/factories/work.ts';
import { useOrganization } from '../../support/use-test-app.ts';

/**
 * An outage of the service is not one of its workers: leases that lapsed while no heartbeat could have arrived anywhere get
 * one more period, whoever comes first, and everything else stays as strict as it was.
 */
const { app, organization } = useOrganization({ per: 'test' });
let watcher: LeaseWatcher;

beforeAll(async () => {
  watcher = app.app.get(LeaseWatcher);
  // Notes are made when a test says so.
  await watcher.beforeApplicationShutdown();
});
beforeEach(async () => {
  await watcher.note();
});
afterEach(() => watcher.note());

/** Nothing could be renewed for so long. */
async function outage(seconds: number): Promise<void> {
  await app.db.query(`update lease_watch set noted_at = clock_timestamp() - make_interval(secs => $1)`, [seconds]);
}

/** How long the lease of a run still lasts. */
async function secondsLeft({ runId }: StartedRun): Promise<number> {
  const { rows } = await app.db.query<{ left: number }>(
    `select extract(epoch from lease_expires_at - clock_timestamp())::float as left from run where organization_id = $1 and id = $2`,
    [organization.id, runId],
  );
  return rows[0]!.left;
}

async function statusOf(run: StartedRun): Promise<string> {
  return (await rowsOf(app, run)).runs[0].status;
}

describe('a run whose lease lapsed in an outage', () => {
  let run: StartedRun;
  beforeEach(async () => {
    run = await startedRun(app, organization.id);
    await onRun(app, run, 'running', WORKPLACE);
    await lapseRun(app, run);
    await outage(66);
  });

  it('is not expired by a sweep that comes before any note', async () => {
    await app.runJob('runs-expire');
    expect(await statusOf(run)).toBe('running');
  });

  it('is renewed by its heartbeat, before any note', async () => {
    expect((await onRun(app, run, 'heartbeat')).status).toBe(200);
    expect(await secondsLeft(run)).toBeGreaterThan(50);
  });

  it('takes logs and its end, before any note', async () => {
    const entry = { sequence: 1, category: 'execution', status: 'info', label: 'A step', detail: null };
    const entries = [{ ...entry, occurredAt: '2026-03-01T09:30:00Z' }];
    expect((await onRun(app, run, 'logs', { entries })).status).toBe(200);
    expect((await onRun(app, run, 'complete', COMPLETED)).status).toBe(200);
    expect(await statusOf(run)).toBe('succeeded');
  });

  it('may be failed, before any note', async () => {
    const error = { code: 'broken', message: 'It broke.', retryable: false };
    expect((await onRun(app, run, 'fail', { error })).status).toBe(200);
    expect(await statusOf(run)).toBe('failed');
  });

  it('lets its agent work, before any note', async () => {
    const agent = app.client(run.executionToken);
    expect((await agent.get(`/internal/agent/organizations/${organization.id}/execution`)).status).toBe(200);
  });

  it('gets one whole period with the first note, and expires when that is over too', async () => {
    await watcher.note();
    const left = await secondsLeft(run);
    expect(left).toBeGreaterThan(50);
    await watcher.note();
    expect(await secondsLeft(run)).toBeLessThanOrEqual(left);
    await app.runJob('runs-expire');
    expect(await statusOf(run)).toBe('running');
    await lapseRun(app, run);
    await app.runJob('runs-expire');
    expect(await statusOf(run)).toBe('expired');
    expect((await onRun(app, run, 'heartbeat')).status).toBe(409);
  });

  it('lives, however sweep, note and another note meet', async () => {
    for (let nth = 0; nth < 10; nth += 1) {
      await lapseRun(app, run);
      await outage(66);
      await Promise.all([watcher.note(), app.runJob('runs-expire'), watcher.note(), onRun(app, run, 'heartbeat')]);
      expect(await statusOf(run)).toBe('running');
    }
  });

  it('is not given up for another process of its worker, which was as silent', async () => {
    await watcher.note();
    const path = `/internal/workers/${run.workerId}/recover`;
    const { status, body } = await app.service.post(path, { bootId: organization.id });
    expect([status, body.data.runs]).toEqual([200, []]);
  });

  it('is not given back once it was handed on', async () => {
    await watcher.note();
    await lapseRun(app, run);
    await app.runJob('runs-expire');
    await outage(66);
    expect((await onRun(app, run, 'heartbeat')).status).toBe(409);
    await watcher.note();
    expect(await statusOf(run)).toBe('expired');
  });

  it('is no run of a deleted profile', async () => {
    await watcher.note();
    const path = `/organizations/${organization.id}/agent-profiles/${run.agentProfileId}`;
    await outage(66);
    const { status, text } = await app.bootstrap.delete(path);
    expect([status, text]).toEqual([200, text]);
    expect((await onRun(app, run, 'heartbeat')).status).toBe(409);
    await watcher.note();
    expect((await onRun(app, run, 'heartbeat')).status).toBe(409);
  });
});

describe('a lease that lapsed before or behind an outage', () => {
  let run: StartedRun;
  beforeEach(async () => {
    run = await startedRun(app, organization.id);
  });

  it('is over where it lapsed before the outage began', async () => {
    await outage(66);
    await app.db.query(
      `update run set lease_expires_at = clock_timestamp() - interval '67 seconds' where organization_id = $1 and id = $2`,
      [organization.id, run.runId],
    );
    expect((await onRun(app, run, 'heartbeat')).status).toBe(409);
    await app.runJob('runs-expire');
    expect(await statusOf(run)).toBe('expired');
  });

  it('is over where the silence was shorter than half a lease', async () => {
    await lapseRun(app, run);
    await outage(25);
    expect((await onRun(app, run, 'heartbeat')).status).toBe(409);
    await watcher.note();
    await app.runJob('runs-expire');
    expect(await statusOf(run)).toBe('expired');
  });

  it('is a whole one again where it would lapse soon behind an outage', async () => {
    await app.db.query(
      `update run set lease_expires_at = clock_timestamp() + interval '1 second' where organization_id = $1`,
      [organization.id],
    );
    await outage(40);
    await watcher.note();
    expect(await secondsLeft(run)).toBeGreaterThan(50);
  });
});

describe('a turn whose lease lapsed in an outage', () => {
  let turn: ClaimedTurn;
  beforeEach(async () => {
    turn = await streamingTurn(app, organization.id);
    await lapseTurn(app, turn);
    await outage(66);
  });

  it('is not ended by a sweep, and takes appends and beats, before any note', async () => {
    await app.runJob('turns-due');
    expect((await append(app, turn, 5, ' again')).status).toBe(200);
    expect((await onTurn(app, turn, 'heartbeat')).status).toBe(200);
    expect(await turnRow(app, turn)).toMatchObject({ status: 'streaming', attempt: 1 });
  });

  it('may be ended by its worker, before any note', async () => {
    expect((await onTurn(app, turn, 'complete')).status).toBe(200);
  });

  it('gets one more period with the first note, and no second one', async () => {
    await watcher.note();
    await app.runJob('turns-due');
    expect(await turnRow(app, turn)).toMatchObject({ status: 'streaming', attempt: 1 });
    await lapseTurn(app, turn);
    await app.runJob('turns-due');
    expect(await turnRow(app, turn)).toMatchObject({ status: 'pending' });
    await outage(66);
    expect((await onTurn(app, turn, 'heartbeat')).status).toBe(409);
  });

  it('is not given back to one who lost it before', async () => {
    const lost = await heldTurn(app, organization.id);
    await watcher.note();
    await lapseTurn(app, lost);
    await app.runJob('turns-due');
    await outage(66);
    expect((await onTurn(app, lost, 'heartbeat')).status).toBe(409);
  });
});

describe('a claim whose lease lapsed in an outage', () => {
  let claimed: Claimed;
  beforeEach(async () => {
    await queueTask(app, organization.id);
    claimed = await claimOne(app, organization.id);
    await lapseClaim(app, claimed);
    await outage(20);
  });

  it('is not queued again, and starts, before any note', async () => {
    await app.runJob('run-claims-lapsed');
    expect((await rowsOf(app, claimed)).request).toMatchObject({ status: 'claimed', lapse_count: 0 });
    expect((await start(app, claimed)).status).toBe(200);
  });

  it('gets one more period with the first note, and is queued behind it', async () => {
    await watcher.note();
    await app.runJob('run-claims-lapsed');
    expect((await rowsOf(app, claimed)).request).toMatchObject({ status: 'claimed' });
    await lapseClaim(app, claimed);
    await app.runJob('run-claims-lapsed');
    expect((await rowsOf(app, claimed)).request).toMatchObject({ status: 'queued', lapse_count: 1 });
    expect((await start(app, claimed)).status).toBe(409);
  });
});
