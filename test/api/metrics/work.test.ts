import { beforeEach, describe, expect, it } from '@jest/globals';
import { TurnWaitersService } from '../../../src/modules/chats/turns/turn-waiters.service.ts';
import { WorkWaitersService } from '../../../src/modules/runs/claims/work-waiters.service.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { cancelTurn, claimTurn, claimTurns, lapseTurn, waitingTurns } from '../../support/factories/turns.ts';
import {
  claim,
  COMPLETED,
  claimOne,
  lapseClaim,
  lapseRun,
  onRun,
  queueTasks,
  start,
  startedRun,
  WORKPLACE,
} from '../../support/factories/work.ts';
import { type Scrape, scrape } from '../../support/scrape.ts';
import { until } from '../../support/until.ts';
import { useOrganization } from '../../support/use-test-app.ts';

// What is counted across organizations is that of this file alone.
const { app, owner, organization } = useOrganization({ ownDatabase: true, per: 'test' });

beforeEach(() => app.db.query('truncate run_request, run, message, organization_dispatch cascade'));

const requests = (seen: Scrape) => ['ready', 'delayed', 'claimed'].map((state) => seen.of('run_requests', { state }));
const runs = (seen: Scrape) => ['starting', 'running'].map((status) => seen.of('runs_live', { status }));
const turns = (seen: Scrape) =>
  ['waiting', 'resting', 'live', 'cancelling'].map((state) => seen.of('chat_turns', { state }));

describe('run requests and runs', () => {
  it('are counted as they move: ready or delayed, claimed, live', async () => {
    const none = await scrape(app);
    expect([...requests(none), ...runs(none)]).toEqual([0, 0, 0, 0, 0]);
    await queueTasks(app, organization.id, 3);
    await createTask(owner, organization.id, { scheduledAt: '2099-01-01T00:00:00Z' });
    expect(requests(await scrape(app))).toEqual([3, 1, 0]);
    const claimed = await claimOne(app, organization.id);
    expect(requests(await scrape(app))).toEqual([2, 1, 1]);
    const { body } = await start(app, claimed);
    const began = await scrape(app);
    expect([...requests(began), ...runs(began)]).toEqual([2, 1, 0, 1, 0]);
    await onRun(app, { ...claimed, ...body.data }, 'running', WORKPLACE);
    expect(runs(await scrape(app))).toEqual([0, 1]);
    await onRun(app, { ...claimed, ...body.data }, 'complete', COMPLETED);
    const over = await scrape(app);
    expect([...requests(over), ...runs(over)]).toEqual([2, 1, 0, 0, 0]);
  });

  it('show the age of the oldest, of what is delayed from its time on, and how long no work of an organization was taken', async () => {
    await queueTasks(app, organization.id, 2);
    const of = (seen: Scrape, state: string) => seen.of('run_requests_oldest_seconds', { state })!;
    const unserved = (seen: Scrape) => seen.of('organizations_in_line_longest_unserved_seconds')!;
    await createTask(owner, organization.id, { scheduledAt: '2099-01-01T00:00:00Z' });
    const fresh = await scrape(app);
    expect([of(fresh, 'ready') < 600, of(fresh, 'delayed'), of(fresh, 'claimed')]).toEqual([true, 0, 0]);
    expect([fresh.of('organizations_in_line'), unserved(fresh) < 600]).toEqual([1, true]);
    await app.db.query(`update run_request set available_at = clock_timestamp() - interval '1 hour'`);
    await app.db.query(
      `update organization_dispatch set next_ready_at = clock_timestamp() - interval '2 hours' where next_ready_at is not null`,
    );
    const aged = await scrape(app);
    for (const [seconds, hours] of [
      [of(aged, 'ready'), 1],
      [of(aged, 'delayed'), 1],
      [unserved(aged), 2],
    ] as const) {
      expect(seconds).toBeGreaterThanOrEqual(hours * 3_600);
      expect(seconds).toBeLessThan(hours * 3_600 + 600);
    }
    await claimOne(app, organization.id);
    expect(unserved(await scrape(app))).toBeLessThan(600);
  });
});

describe('chat turns', () => {
  it('are counted as they move: waiting, live, cancelling', async () => {
    expect(turns(await scrape(app))).toEqual([0, 0, 0, 0]);
    const [, second] = await waitingTurns(app, organization.id, 3);
    expect(turns(await scrape(app))).toEqual([3, 0, 0, 0]);
    await claimTurn(app, organization.id);
    expect(turns(await scrape(app))).toEqual([2, 0, 1, 0]);
    await cancelTurn(app, second!, '0 s');
    const seen = await scrape(app);
    expect([turns(seen), seen.of('chat_turns_oldest_seconds', { state: 'waiting' })! < 600]).toEqual([
      [1, 0, 1, 1],
      true,
    ]);
  });
});

describe('claims that wait', () => {
  it.each([
    ['run', () => claim(app, organization.id, { waitSeconds: 20 }), () => queueTasks(app, organization.id, 1)],
    ['turn', () => claimTurns(app, organization.id, { waitSeconds: 20 }), () => waitingTurns(app, organization.id, 1)],
  ] as const)('for a %s are counted until they are answered', async (kind, wait, work) => {
    const waiting = async () => (await scrape(app)).of('claims_waiting', { kind });
    expect(await waiting()).toBe(0);
    const answer = wait();
    await until('the claim waits', async () => (await waiting()) === 1);
    await work();
    // Rows that a test inserts tell nobody.
    app.app.get(kind === 'run' ? WorkWaitersService : TurnWaitersService)['wakeAll']();
    expect((await answer).status).toBe(200);
    expect(await waiting()).toBe(0);
  });
});

describe('leases that lapse', () => {
  it.each([
    ['run', 'runs-expire', async () => lapseRun(app, await startedRun(app, organization.id))],
    [
      'claim',
      'run-claims-lapsed',
      async () => {
        await queueTasks(app, organization.id, 1);
        await lapseClaim(app, await claimOne(app, organization.id));
      },
    ],
    [
      'turn',
      'turns-due',
      async () => {
        await waitingTurns(app, organization.id, 1);
        await lapseTurn(app, await claimTurn(app, organization.id));
      },
    ],
  ] as const)('of a %s are counted by the job that ends them', async (kind, job, lapse) => {
    const expiries = async () => (await scrape(app)).of('lease_expiries_total', { kind })!;
    const before = await expiries();
    await lapse();
    await app.runJob(job);
    expect(await expiries()).toBe(before + 1);
    await app.runJob(job);
    expect(await expiries()).toBe(before + 1);
  });
});
