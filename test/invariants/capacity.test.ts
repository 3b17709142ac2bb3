import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf } from '../support/client.ts';
import { TestApp } from '../support/test-app.ts';
import { type Claimed, claim, onRun, queueTasks, rowsOf, start } from '../support/work.ts';

const STARTS = 20;

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: { DATABASE_POOL_SIZE: '20' } });
  other = await TestApp.start({ env: { DATABASE_POOL_SIZE: '20' } });
});
afterAll(() => Promise.all([app.close(), other.close()]));

it.each(['organization_load', 'profile_load'])(
  'one place in %s and twenty simultaneous starts make one run',
  async (table) => {
    const organizationId = await organizationOf(await app.person());
    const tasks = await queueTasks(app, organizationId, STARTS);
    const claims = (await claim(app, organizationId, { limit: STARTS })).body.data as Claimed[];
    expect(claims).toHaveLength(STARTS);
    await app.db.query(`update ${table} set max_live_runs = 1 where organization_id = $1`, [organizationId]);
    const before = await Promise.all(tasks.map((task) => rowsOf(app, task)));

    const answers = await Promise.all(claims.map((each, place) => start(place % 2 ? app : other, each)));
    const started = answers.findIndex(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(STARTS - 1);
    for (const { body } of refused)
      expect([body.error.code, body.error.issues[0].code]).toEqual(['state_conflict', 'capacity_exceeded']);
    const winner = tasks.findIndex(({ taskId }) => taskId === claims[started]!.taskId);
    const after = await Promise.all(tasks.map((task) => rowsOf(app, task)));
    expect(after.toSpliced(winner, 1)).toEqual(before.toSpliced(winner, 1));

    // A refused claim is as good as before once there is room.
    const run = { ...claims[started]!, runId: answers[started]!.body.data.runId };
    const error = { code: 'broken', message: 'Broken.', retryable: false };
    expect((await onRun(app, run, 'fail', { error })).status).toBe(200);
    const next = claims.toSpliced(started, 1);
    const again = await Promise.all(next.map((each) => start(app, each)));
    expect(again.filter(({ status }) => status === 200)).toHaveLength(1);
  },
);
