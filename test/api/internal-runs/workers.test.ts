import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { claimTurns, heldTurn } from '../../support/factories/turns.ts';
import { claim, claimOne, onRun, queueTask, start, startedRun } from '../../support/factories/work.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);

async function workers(): Promise<Record<string, unknown>[]> {
  const { status, body } = await app.bootstrap.get('/workers');
  expect(status).toBe(200);
  return body.data;
}

/** A worker as soon as its claims are written down. */
async function noted(workerId: string, holds?: (worker: Record<string, unknown>) => boolean) {
  let worker: Record<string, unknown> | undefined;
  await until(
    `${workerId} is known`,
    async () => {
      worker = (await workers()).find((each) => each['workerId'] === workerId);
      return worker !== undefined && (holds?.(worker) ?? true);
    },
    10_000,
  );
  return worker!;
}

const hasFilters = ({ filters }: Record<string, unknown>) => (filters as { runs: unknown }).runs !== null;

describe('GET /workers: 200', () => {
  it('tells of each worker its boot, what it holds and what its claims of runs asked for', async () => {
    const organizationId = await organizationOf(owner);
    const [workerId, bootId] = [`worker-${organizationId}`, randomUUID()];
    const filters = { profileKeys: ['growth', 'support'], modes: ['execute'] };
    await queueTask(app, organizationId);
    const claimed = await claimOne(app, organizationId, { bootId, ...filters });
    const runId = randomUUID();
    await start(app, claimed, { runId });
    await queueTask(app, organizationId);
    await claimOne(app, organizationId, { bootId, ...filters });
    await heldTurn(app, organizationId, { bootId });
    const { filters: asked, ...worker } = await noted(workerId, hasFilters);
    const runs = { organizationIds: [organizationId], ...filters, executionClasses: null };
    expect(asked).toMatchObject({ runs });
    expect(worker).toEqual({
      workerId,
      bootId,
      lastSeenAt: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      holds: { claims: 1, runs: 1, turns: 1 },
    });
    const error = { code: 'c', message: 'm', retryable: false };
    await onRun(app, { ...claimed, runId }, 'fail', { error });
    expect((await noted(workerId))['holds']).toEqual({ claims: 1, runs: 0, turns: 1 });
  });

  it('tells what its claims of turns asked for', async () => {
    const organizationId = await organizationOf(owner);
    await claimTurns(app, organizationId, { profileKeys: ['chat'] });
    const { filters } = await noted(`worker-${organizationId}`);
    const turns = { organizationIds: [organizationId], profileKeys: ['chat'] };
    expect(filters).toEqual({ runs: null, turns });
  });

  it('has been seen when it renewed a lease, and is known by what it holds alone', async () => {
    const run = await startedRun(app, await organizationOf(owner));
    await noted(run.workerId, hasFilters);
    await app.db.query('delete from worker where worker_id = $1', [run.workerId]);
    const { lastSeenAt } = await noted(run.workerId);
    await onRun(app, run, 'heartbeat');
    const later = await noted(run.workerId);
    expect(later).toMatchObject({ bootId: run.bootId, holds: { runs: 1 }, filters: { runs: null, turns: null } });
    expect(later['lastSeenAt']! > lastSeenAt!).toBe(true);
  });

  it('is written once a minute at most by a process, however often it claims', async () => {
    const organizationId = await organizationOf(owner);
    const workerId = `worker-${organizationId}`;
    await claim(app, organizationId, { profileKeys: ['growth'] });
    const before = await noted(workerId, hasFilters);
    await claim(app, organizationId, { profileKeys: ['support'] });
    const otherId = await organizationOf(owner);
    await claim(app, otherId);
    // The note of the other worker comes with all that were due by then.
    await noted(`worker-${otherId}`, hasFilters);
    expect(await noted(workerId)).toEqual(before);
  });

  it('is told by all processes together, and starts anew with a boot', async () => {
    const other = await TestApp.start({ databaseUrl: app.databaseUrl });
    try {
      const [organizationId, bootId] = [await organizationOf(owner), randomUUID()];
      const workerId = `worker-${organizationId}`;
      await claim(app, organizationId, { bootId });
      await noted(workerId, hasFilters);
      await claimTurns(other, organizationId, { bootId });
      const both = await noted(workerId, ({ filters }) => (filters as { turns: unknown }).turns !== null);
      expect([both['bootId'], hasFilters(both)]).toEqual([bootId, true]);

      const third = await TestApp.start({ databaseUrl: app.databaseUrl });
      try {
        const next = randomUUID();
        await claim(third, organizationId, { bootId: next });
        const anew = await noted(workerId, (worker) => worker['bootId'] === next);
        expect(anew['filters']).toEqual({ runs: expect.any(Object), turns: null });
      } finally {
        await third.close();
      }
    } finally {
      await other.close();
    }
  });

  it('forgets a worker that was not seen for a day, unless it holds something', async () => {
    const [gone, idle] = [randomUUID(), randomUUID()];
    await app.db.query(
      `insert into worker (worker_id, boot_id, last_seen_at) values
       ($1, gen_random_uuid(), clock_timestamp() - interval '25 hours'),
       ($2, gen_random_uuid(), clock_timestamp() - interval '23 hours')`,
      [gone, idle],
    );
    await app.runJob('workers-forget');
    const ids = (await workers()).map(({ workerId }) => workerId);
    expect(ids).toContain(idle);
    expect(ids).not.toContain(gone);
    const run = await startedRun(app, await organizationOf(owner));
    await noted(run.workerId, hasFilters);
    await app.db.query(`update worker set last_seen_at = clock_timestamp() - interval '2 days' where worker_id = $1`, [
      run.workerId,
    ]);
    await app.runJob('workers-forget');
    expect((await noted(run.workerId))['holds']).toEqual({ claims: 0, runs: 1, turns: 0 });
  });

  it('shows runtimes the same, the latest seen first, and nothing of deleted organizations', async () => {
    const organizationId = await organizationOf(owner);
    const { workerId } = await startedRun(app, organizationId);
    await noted(workerId, hasFilters);
    expect((await app.service.get('/workers')).body.data).toEqual(await workers());
    const seen = (await workers()).map(({ lastSeenAt }) => String(lastSeenAt));
    expect(seen).toEqual([...seen].sort().reverse());
    await owner.delete(`/organizations/${organizationId}`);
    expect((await noted(workerId))['holds']).toEqual({ claims: 0, runs: 0, turns: 0 });
  });
});

describe('GET /workers: 401', () => {
  it('is the answer to owners, executions and those without a token', async () => {
    const organizationId = await organizationOf(owner);
    const refused = await owner.get('/workers');
    expect([refused.status, refused.body.error.code]).toEqual([401, 'agent_unauthorized']);
    expect(refused.body.error.issues).toEqual([
      { path: 'authorization', code: 'wrong_kind', message: expect.any(String) },
    ]);
    const execution = await app.execution({ organizationId });
    for (const client of [execution, app.anonymous]) {
      const { status, body } = await client.get('/workers');
      expect([status, body.error.code]).toEqual([401, 'agent_unauthorized']);
    }
  });
});

describe('GET /workers: 400', () => {
  it('is the answer to what it does not take', async () => {
    expect((await app.service.get('/workers?limit=1')).status).toBe(400);
  });
});
