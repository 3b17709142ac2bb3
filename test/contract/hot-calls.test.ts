import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../support/client.ts';
import { costOf } from '../support/round-trips.ts';
import { TestApp } from '../support/test-app.ts';
import { claim, claimOne, COMPLETED, onRun, queueTasks, start, startClaimed, WORKPLACE } from '../support/work.ts';

/** What the calls of workers cost the database: each is one round trip and, by the protocol, one commit. */
let app: TestApp;
let organizationId: string;

beforeAll(async () => {
  app = await TestApp.start();
  organizationId = await organizationOf(await app.person());
  await app.db.query(`update profile_load set max_live_runs = 100 where organization_id = $1`, [organizationId]);
  await queueTasks(app, organizationId, 20);
});
afterAll(() => app.close());

describe('round trips, and the statements of each', () => {
  it('claim: one', async () => {
    expect(await costOf(() => claim(app, organizationId))).toEqual([2]);
  });

  it('claim with a request key: one', async () => {
    expect(await costOf(() => claim(app, organizationId, { requestKey: randomUUID() }))).toEqual([4]);
  });

  it('claim of several of one organization: two', async () => {
    expect(await costOf(() => claim(app, organizationId, { limit: 5 }))).toEqual([2, 2]);
  });

  it('start, and its repeat: one', async () => {
    const claimed = await claimOne(app, organizationId);
    const runId = randomUUID();
    expect(await costOf(() => start(app, claimed, { runId }))).toEqual([6]);
    expect(await costOf(() => start(app, claimed, { runId }))).toEqual([6]);
  });

  it('running and heartbeat: one', async () => {
    const run = await startClaimed(app, organizationId);
    expect(await costOf(() => onRun(app, run, 'running', WORKPLACE))).toEqual([2]);
    expect(await costOf(() => onRun(app, run, 'heartbeat'))).toEqual([2]);
  });

  it('release: one', async () => {
    const { runRequestId, leaseToken } = await claimOne(app, organizationId);
    const path = `/internal/run-requests/${runRequestId}/release`;
    expect(await costOf(() => app.service.post(path, { organizationId, leaseToken }))).toEqual([3]);
  });

  it('logs: one', async () => {
    const run = await startClaimed(app, organizationId);
    const entry = { sequence: 1, category: 'execution', status: 'info', label: 'A step', detail: null };
    const entries = [{ ...entry, occurredAt: '2026-03-01T09:30:00Z' }];
    expect(await costOf(() => onRun(app, run, 'logs', { entries }))).toEqual([3]);
  });

  it('complete, of a task that nobody waits for: one', async () => {
    const run = await startClaimed(app, organizationId);
    expect(await costOf(() => onRun(app, run, 'complete', COMPLETED))).toEqual([5]);
    expect(await costOf(() => onRun(app, run, 'complete', COMPLETED))).toEqual([5, 3, 2, 1]);
  });

  // One transaction: what has to be known before it can go on costs a round trip, what need not wait goes together.
  it('fail, of a run that is tried again: six', async () => {
    const run = await startClaimed(app, organizationId);
    const error = { code: 'failed', message: 'It failed.', retryable: true };
    expect(await costOf(() => onRun(app, run, 'fail', { error }))).toEqual([3, 2, 5, 4, 1, 1]);
  });
});

describe('a heartbeat', () => {
  it('is updated in place: no index changes', async () => {
    const run = await startClaimed(app, organizationId);
    await onRun(app, run, 'running', WORKPLACE);
    const hot = async () => {
      const { rows } = await app.db.query<{ ctid: string; indexes: string[] }>(
        `select r.ctid::text, array(select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = 'run'::regclass) as indexes
         from run r where r.organization_id = $1 and r.id = $2`,
        [organizationId, run.runId],
      );
      return rows[0]!;
    };
    const { indexes } = await hot();
    for (const column of ['lease_expires_at', 'heartbeat_at', 'capability_expires_at'])
      expect(indexes.filter((definition) => definition.includes(column))).toEqual([]);
    const page = ({ ctid }: { ctid: string }) => ctid.split(',')[0];
    const before = await hot();
    await onRun(app, run, 'heartbeat');
    expect(page(await hot())).toBe(page(before));
  });
});
