import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import type { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';
import { WorkWaitersService } from '../../../src/modules/runs/claims/work-waiters.service.ts';
import {
  allowRuns,
  type Claimed,
  claim,
  claimOne,
  onRun,
  queueTask,
  queueTasks,
  start,
  startedRun,
} from '../../support/factories/work.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

/** What claims hand out and what is live is never more than may be: three processes, whose claims know nothing of each other. */
const ENV = { env: { DATABASE_POOL_SIZE: '12' } };
const [app, second, third] = [useTestApp(ENV), useTestApp(ENV), useTestApp(ENV)];
const processes = [app, second, third];
const owner = usePerson(app);
let organizationId: string;
beforeEach(async () => {
  organizationId = await organizationOf(owner);
});

const setLimit = (table: 'organization_capacity' | 'profile_capacity', limit: number) =>
  app.db.query(`update ${table} set max_live_runs = $2 where organization_id = $1`, [organizationId, limit]);

async function claims(on: TestApp, body: Record<string, unknown> = {}): Promise<Claimed[]> {
  const { status, body: answer } = await claim(on, organizationId, body);
  expect(status).toBe(200);
  return answer.data;
}

/** As many claims at once from each process. */
const fromAll = async (each: number, body: Record<string, unknown> = {}) =>
  (await Promise.all(processes.flatMap((on) => Array.from({ length: each }, () => claims(on, body))))).flat();

/** Every one of them starts: claims hand out nothing that has to be given back. */
async function startAll(claimed: readonly Claimed[]): Promise<string[]> {
  const answers = await Promise.all(claimed.map((each, place) => start(processes[place % 3]!, each)));
  expect(answers.map(({ status }) => status)).toEqual(claimed.map(() => 200));
  return answers.map(({ body }) => body.data.runId as string);
}

const byProfile = (claimed: readonly Claimed[]) =>
  [...Map.groupBy(claimed, ({ agentProfileId }) => agentProfileId).values()]
    .map(({ length }) => length)
    .toSorted((a, b) => a - b);

describe('claims at the same moment, of several processes', () => {
  it.each([1, 4])('hand out no more than an organization may run, %i at a time', async (limit) => {
    await allowRuns(app, organizationId, 20);
    await setLimit('organization_capacity', 7);
    for (const profile of ['growth', 'support', 'operator']) await queueTasks(app, organizationId, 10, { profile });
    const claimed = await fromAll(8, { limit });
    expect(claimed).toHaveLength(7);
    await startAll(claimed);
    expect(await fromAll(2, { limit })).toEqual([]);
  });

  it.each([1, 4])('hand out no more than a profile may run, %i at a time', async (limit) => {
    await allowRuns(app, organizationId, 20);
    await setLimit('profile_capacity', 2);
    for (const profile of ['growth', 'support', 'operator']) await queueTasks(app, organizationId, 10, { profile });
    const claimed = await fromAll(8, { limit });
    expect(byProfile(claimed)).toEqual([2, 2, 2]);
    await startAll(claimed);
    expect(await fromAll(2, { limit })).toEqual([]);
  });

  it('give the place of each run that ends to one claim, while others start', async () => {
    await allowRuns(app, organizationId, 3);
    await queueTasks(app, organizationId, 40);
    const error = { code: 'broken', message: 'Broken.', retryable: false };
    let done = 0;
    while (done < 30) {
      const claimed = await fromAll(3);
      expect(claimed.length).toBeLessThanOrEqual(3);
      const runIds = await startAll(claimed);
      // Some go on, and keep their places.
      await Promise.all(
        claimed.map((each, place) => onRun(processes[place]!, { ...each, runId: runIds[place]! }, 'fail', { error })),
      );
      done += claimed.length;
    }
  });
});

describe('a place that is free again', () => {
  const waiting = (on: TestApp) => until('a claim waits', () => on.app.get(WorkWaitersService).idle === 1);
  const waiter = async (on: TestApp) => {
    const waits = claims(on, { waitSeconds: 20 });
    await waiting(on);
    return waits;
  };
  /** Well below the poll that would find the work in the end. */
  const soon = async (work: Promise<Claimed[]>) => {
    const startedAt = performance.now();
    const claimed = await work;
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    return claimed.map(({ runRequestId }) => runRequestId);
  };

  it('wakes a claim when a claim is released, whoever the work is of', async () => {
    await setLimit('organization_capacity', 1);
    await queueTask(app, organizationId, { priority: 1 });
    const held = await claimOne(app, organizationId);
    const { runRequestId } = await queueTask(app, organizationId, { profile: 'support' });
    expect(await claims(app)).toEqual([]);
    const waits = waiter(second);
    await waiting(second);
    const { leaseToken } = held;
    await app.service.post(`/internal/run-requests/${held.runRequestId}/release`, { organizationId, leaseToken });
    expect(await soon(waits)).toEqual([runRequestId]);
  });

  it.each([
    [
      'of the organization',
      () => owner.patch(`/organizations/${organizationId}`, { config: { limits: { maxLiveRuns: 2 } } }),
    ],
    [
      'of the profile',
      async () => {
        const { body } = await owner.get(`/organizations/${organizationId}/agent-profiles`);
        const { id } = body.data.find(({ key }: { key: string }) => key === 'growth');
        return owner.patch(`/organizations/${organizationId}/agent-profiles/${id}`, { config: { maxLiveRuns: 2 } });
      },
    ],
  ] as const)('wakes a claim of another process when the limit %s is raised', async (of, raise) => {
    const isOrganizations = of === 'of the organization';
    if (isOrganizations)
      await owner.patch(`/organizations/${organizationId}`, { config: { limits: { maxLiveRuns: 1 } } });
    else await setLimit('profile_capacity', 1);
    await startedRun(app, organizationId);
    const { runRequestId } = await queueTask(app, organizationId);
    const waits = waiter(second);
    await waiting(second);
    expect((await raise()).status).toBe(200);
    expect(await soon(waits)).toEqual([runRequestId]);
  });

  it('wakes as many claims as have work then', async () => {
    await owner.patch(`/organizations/${organizationId}`, { config: { limits: { maxLiveRuns: 1 } } });
    await setLimit('profile_capacity', 50);
    await startedRun(app, organizationId);
    await queueTasks(app, organizationId, 30);
    const waits = Array.from({ length: 30 }, (_, place) => claims(processes[place % 3]!, { waitSeconds: 20 }));
    await until('all wait', () => processes.every((on) => on.app.get(WorkWaitersService).idle === 10));
    await owner.patch(`/organizations/${organizationId}`, { config: { limits: { maxLiveRuns: 26 } } });
    const startedAt = performance.now();
    await until('25 are served', async () => {
      const { rows } = await app.db.query(
        `select count(*)::int as claimed from run_request where organization_id = $1 and status = 'claimed'`,
        [organizationId],
      );
      return rows[0].claimed === 25;
    });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    await owner.patch(`/organizations/${organizationId}`, { config: { limits: { maxLiveRuns: 31 } } });
    expect((await Promise.all(waits)).map(({ length }) => length)).toEqual(Array.from({ length: 30 }, () => 1));
  });
});

it('a limit that is lowered ends nothing, and holds what comes next', async () => {
  const runs = [await startedRun(app, organizationId), await startedRun(app, organizationId)];
  const path = `/organizations/${organizationId}`;
  expect((await owner.patch(path, { config: { limits: { maxLiveRuns: 1 } } })).status).toBe(200);
  for (const run of runs) expect((await onRun(app, run, 'heartbeat')).status).toBe(200);
  await queueTask(app, organizationId, { profile: 'support' });
  const error = { code: 'broken', message: 'Broken.', retryable: false };
  await onRun(app, runs[0]!, 'fail', { error });
  expect(await claims(app)).toEqual([]);
  await onRun(app, runs[1]!, 'fail', { error });
  expect(await claims(app)).toHaveLength(1);
});
