import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { type Claimed, claim, queueTasks, start } from '../../support/factories/work.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const STARTS = 200;
const RACERS = 8;

/** The last start is raced long after its claim: half a minute would end it on a busy machine. */
const env = { RUN_CLAIM_LEASE_SECONDS: '600' };
const app = useTestApp({ env });
const other = useTestApp({ env });

it(`eight racers on each of ${STARTS} starts, through two processes' pools, make one run each`, async () => {
  const organizationId = await organizationOf(await app.person());
  const sql = (text: string) => app.db.query(text, [organizationId]);
  await sql(`update organization_capacity set max_live_runs = 1000 where organization_id = $1`);
  await sql(`update profile_capacity set max_live_runs = 1000 where organization_id = $1`);
  await queueTasks(app, organizationId, STARTS);
  const claims: Claimed[] = [];
  while (claims.length < STARTS) {
    const { data } = (await claim(app, organizationId, { limit: 50 })).body;
    expect(data.length).toBeGreaterThan(0);
    claims.push(...data);
  }
  for (const claimed of claims) {
    const answers = await Promise.all(
      Array.from({ length: RACERS }, (_, racer) => start(racer % 2 ? app : other, claimed, { runId: randomUUID() })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(RACERS - 1).fill(409),
    ]);
    const codes = answers.flatMap(({ status, body }) => (status === 409 ? [body.error.code] : []));
    expect(new Set(codes)).toEqual(new Set(['run_lease_expired']));
  }
  const { rows } = await sql(
    `select count(*)::int as tasks, sum(t.agent_run_count)::int as runs, sum(t.consumed_agent_run_count)::int as consumed,
       sum(q.attempt_count)::int as attempts, (select count(*)::int from run r where r.organization_id = $1) as live
     from task t join run_request q on q.organization_id = t.organization_id and q.task_id = t.id
     where t.organization_id = $1 and t.status = 'running' and q.status = 'running'`,
  );
  expect(rows).toEqual([{ tasks: STARTS, runs: STARTS, consumed: STARTS, attempts: STARTS, live: STARTS }]);
}, 120_000);

it('repeats of one start that come at once are one run', async () => {
  const organizationId = await organizationOf(await app.person());
  await queueTasks(app, organizationId, 1);
  const [claimed] = (await claim(app, organizationId)).body.data as Claimed[];
  const runId = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: RACERS }, (_, racer) => start(racer % 2 ? app : other, claimed!, { runId })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(RACERS).fill(200));
  const [first, ...others] = answers.map(({ body: { data } }) => [data.runId, data.attempt, data.leaseExpiresAt]);
  for (const each of others) expect(each).toEqual(first);
});
