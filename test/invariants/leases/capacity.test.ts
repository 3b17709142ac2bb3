import { expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { organizationOf } from '../../support/client.ts';
import { allowRuns, type Claimed, claim, onRun, queueTasks, rowsOf, start } from '../../support/factories/work.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const STARTS = 20;

const app = useTestApp({ env: { DATABASE_POOL_SIZE: '20' } });
const other = useTestApp({ env: { DATABASE_POOL_SIZE: '20' } });

it.each(['organization_capacity', 'profile_capacity'])(
  'one place in %s and twenty simultaneous starts make one run',
  async (table) => {
    const organizationId = await organizationOf(await app.person());
    await allowRuns(app, organizationId, STARTS);
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

it('starts that arrive together take the places of profile and organization, and no refused one takes any', async () => {
  const organizationId = await organizationOf(await app.person());
  await allowRuns(app, organizationId, 8);
  await queueTasks(app, organizationId, 4, { profile: 'growth' });
  await queueTasks(app, organizationId, 4, { profile: 'operator' });
  const claims = (await claim(app, organizationId, { limit: 8 })).body.data as Claimed[];
  expect(claims).toHaveLength(8);
  await app.db.query(`update organization_capacity set max_live_runs = 4 where organization_id = $1`, [organizationId]);
  await app.db.query(
    `update profile_capacity l set max_live_runs = case p.key when 'growth' then 1 else 10 end from agent_profile p
     where l.organization_id = $1 and p.organization_id = $1 and p.id = l.agent_profile_id`,
    [organizationId],
  );

  const query = jest.spyOn(pg.Client.prototype, 'query');
  const answers = await Promise.all(claims.map((each) => start(app, each)));
  const moves = query.mock.calls.filter(([sent]) => JSON.stringify(sent).includes('insert into run ('));
  query.mockRestore();
  expect(moves.length).toBeLessThan(claims.length);
  const started = claims.filter((_, place) => answers[place]!.status === 200);
  const { rows } = await app.db.query(
    `select p.key, count(*)::int from run r join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id
     where r.organization_id = $1 group by p.key order by p.key`,
    [organizationId],
  );
  expect(rows).toEqual([
    { key: 'growth', count: 1 },
    { key: 'operator', count: 3 },
  ]);
  expect(started).toHaveLength(4);
});
