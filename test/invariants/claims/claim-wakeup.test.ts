import { request as httpRequest } from 'node:http';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Draining } from '../../../src/kernel/http/index.ts';
import { WorkWaitersService } from '../../../src/modules/runs/claims/work-waiters.service.ts';
import { type Client, organizationOf } from '../../support/client.ts';
import { SERVICE_TOKEN, TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import {
  CLAIM_PATH,
  claim,
  claimOne,
  onRun,
  queueTask,
  queueTasks,
  rowsOf,
  startedRun,
} from '../../support/factories/work.ts';

/** Two processes of a deployment: their event buses meet in the database only. */
let app: TestApp;
let other: TestApp;
let owner: Client;
let organizationId: string;

beforeEach(async () => {
  [app, other] = await Promise.all([TestApp.start(), TestApp.start()]);
  owner = await app.person();
  organizationId = await organizationOf(owner);
});
afterEach(() => Promise.all([app.close(), other.close()]));

const waiting = (on: TestApp, count: number) =>
  until(`${count} wait`, () => on.app.get(WorkWaitersService).idle === count);
/** Well below the poll that would find the work in the end. */
const SOON_MS = 2_000;

async function soon<T>(answer: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await answer;
  expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  return result;
}

/** As the tick does where it finds ready work without a hint, but for telling anybody. */
const hintAt = (id: string) =>
  app.db.query(
    `insert into organization_dispatch (organization_id, next_ready_at) values ($1, clock_timestamp())
     on conflict (organization_id) do update set next_ready_at = excluded.next_ready_at`,
    [id],
  );

const wait = (on: TestApp, body: Record<string, unknown> = {}) =>
  claim(on, organizationId, { waitSeconds: 30, ...body });

describe('a waiting claim', () => {
  it('is woken by a request that is queued through another process', async () => {
    const waiter = wait(other);
    await waiting(other, 1);
    const { runRequestId } = await queueTask(app, organizationId);
    const { status, body } = await soon(waiter);
    expect([status, body.data.length, body.data[0].runRequestId]).toEqual([200, 1, runRequestId]);
  });

  it('is woken, oldest first, as often as there are requests', async () => {
    const waiters = [];
    for (let place = 0; place < 4; place += 1) {
      waiters.push(wait(app, { workerId: `w${place}` }));
      await waiting(app, place + 1);
    }
    const [first] = await queueTasks(app, organizationId, 2);
    const [one, two] = await soon(Promise.all(waiters.slice(0, 2)));
    expect([one!.body.data.length, two!.body.data.length]).toEqual([1, 1]);
    expect((await rowsOf(app, first!)).request.worker_id).toMatch(/^w[01]$/);
    await waiting(app, 2);
    app.app.get(Draining).begin();
    const rest = await soon(Promise.all(waiters.slice(2)));
    expect(rest.map(({ status, body }) => [status, body.data])).toEqual([
      [200, []],
      [200, []],
    ]);
  });

  it('that wants other work lets the next one have it', async () => {
    const picky = wait(app, { profileKeys: ['support'] });
    await waiting(app, 1);
    const elsewhere = wait(app, { organizationIds: [randomUUID()] });
    await waiting(app, 2);
    const taker = wait(app);
    await waiting(app, 3);
    await queueTask(app, organizationId, { profile: 'growth' });
    expect((await soon(taker)).body.data).toHaveLength(1);
    await waiting(app, 2);
    app.app.get(Draining).begin();
    expect((await soon(Promise.all([picky, elsewhere]))).map(({ body }) => body.data)).toEqual([[], []]);
  });

  it('that takes the work is enough: the other processes are not told', async () => {
    const told: string[] = [];
    const listener = await app.db.connect();
    try {
      listener.on('notification', ({ payload }) => told.push((JSON.parse(payload!) as { topic: string }).topic));
      await listener.query('listen business_runner');
      const idle = wait(other);
      const taker = wait(app);
      await Promise.all([waiting(app, 1), waiting(other, 1)]);
      const { runRequestId } = await queueTask(app, organizationId);
      expect((await soon(taker)).body.data[0].runRequestId).toBe(runRequestId);
      // Nobody waits here any more, so the next one is theirs.
      const next = await queueTask(app, organizationId);
      expect((await soon(idle)).body.data[0].runRequestId).toBe(next.runRequestId);
      // The notification and the answer come on connections of their own.
      await until('the others are told', () => told.length > 0);
      expect(told).toEqual(['work.ready']);
    } finally {
      listener.release(true);
    }
  });

  it('that takes other work passes its signal on', async () => {
    const elsewhere = await organizationOf(owner);
    // Last served just now, so that the other organization comes first.
    await queueTask(app, organizationId);
    await claimOne(app, organizationId);
    const unnoticed = await queueTask(app, elsewhere, { scheduledAt: `clock_timestamp() + interval '1 hour'` });
    const both = wait(app, { organizationIds: [organizationId, elsewhere] });
    const one = wait(other);
    await Promise.all([waiting(app, 1), waiting(other, 1)]);
    await app.db.query(`update run_request set ready = true where organization_id = $1`, [elsewhere]);
    await hintAt(elsewhere);
    const task = await queueTask(app, organizationId);
    const answers = await soon(Promise.all([both, one]));
    expect(answers.map(({ body }) => body.data[0].runRequestId)).toEqual([unnoticed.runRequestId, task.runRequestId]);
  });

  it('is woken when a run ends and its place is free', async () => {
    const run = await startedRun(app, organizationId);
    await app.db.query(`update organization_capacity set max_live_runs = 1 where organization_id = $1`, [
      organizationId,
    ]);
    const { runRequestId } = await queueTask(app, organizationId);
    const waiter = wait(other);
    await waiting(other, 1);
    const error = { code: 'broken', message: 'Broken.', retryable: false };
    await onRun(app, run, 'fail', { error });
    expect((await soon(waiter)).body.data[0].runRequestId).toBe(runRequestId);
  });

  it('is woken when dispatch resumes', async () => {
    await owner.put(`/organizations/${organizationId}/work-dispatch`, { status: 'stopped' });
    await queueTask(app, organizationId);
    const waiter = wait(other);
    await waiting(other, 1);
    await owner.put(`/organizations/${organizationId}/work-dispatch`, { status: 'running' });
    expect((await soon(waiter)).body.data).toHaveLength(1);
  });

  it('is woken when a profile is enabled', async () => {
    const task = await queueTask(app, organizationId);
    const { request } = await rowsOf(app, task);
    const path = `/organizations/${organizationId}/agent-profiles/${request.agent_profile_id}`;
    await owner.patch(path, { status: 'disabled' });
    const waiter = wait(other);
    await waiting(other, 1);
    await owner.patch(path, { status: 'enabled' });
    expect((await soon(waiter)).body.data).toHaveLength(1);
  });

  it('is woken when work comes due', async () => {
    const task = await queueTask(app, organizationId, { scheduledAt: `clock_timestamp() + interval '1 hour'` });
    const waiter = wait(other);
    await waiting(other, 1);
    await app.db.query(`update run_request set available_at = clock_timestamp() where organization_id = $1`, [
      organizationId,
    ]);
    await app.runJob('run-requests-due');
    expect((await soon(waiter)).body.data[0].runRequestId).toBe(task.runRequestId);
  });

  it('is found by the poll when its wakeup was lost', async () => {
    const waiter = wait(app);
    await waiting(app, 1);
    const task = await queueTask(app, organizationId, { scheduledAt: `clock_timestamp() + interval '1 hour'` });
    await app.db.query(`update run_request set ready = true where organization_id = $1`, [organizationId]);
    await hintAt(organizationId);
    expect((await waiter).body.data[0].runRequestId).toBe(task.runRequestId);
  }, 15_000);

  it('answers nothing when its time is up, and holds no connection meanwhile', async () => {
    const waiter = wait(app, { waitSeconds: 1 });
    await waiting(app, 1);
    const { rows } = await app.db.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'business-runner' and state <> 'idle'`,
    );
    expect(rows).toEqual([]);
    expect((await waiter).body.data).toEqual([]);
  });

  it('whose client hung up takes nothing', async () => {
    await app.app.listen(0, '127.0.0.1');
    const { hostname, port } = new URL(await app.app.getUrl());
    const body = JSON.stringify({
      workerId: 'gone',
      bootId: randomUUID(),
      organizationIds: [organizationId],
      waitSeconds: 30,
    });
    const call = httpRequest({
      hostname,
      port,
      path: CLAIM_PATH,
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
    });
    call.on('error', () => undefined);
    call.end(body);
    await waiting(app, 1);
    call.destroy();
    await waiting(app, 0);
    const task = await queueTask(app, organizationId);
    expect((await rowsOf(app, task)).request).toMatchObject({ status: 'queued', worker_id: null });
  });
});
