import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { allowRuns, claim, CLAIM_PATH, type Claimed, queueTask, queueTasks } from '../../support/factories/work.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

// Claims here look at all organizations that there are.
const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);

const claimAny = async (limit = 1): Promise<Claimed[]> =>
  (await app.service.post(CLAIM_PATH, { workerId: 'w', bootId: randomUUID(), limit })).body.data;

it('an organization that adds one request is served by the next claim, however many another one has', async () => {
  const [flood, quiet] = [await organizationOf(owner), await organizationOf(owner)];
  await allowRuns(app, flood, 300);
  await queueTasks(app, flood, 300, { priority: 1_000 });
  for (let round = 0; round < 20; round += 1)
    expect((await claimAny()).map(({ organizationId }) => organizationId)).toEqual([flood]);
  const { runRequestId } = await queueTask(app, quiet, { priority: -1_000 });
  expect((await claimAny()).map((each) => each.runRequestId)).toEqual([runRequestId]);
});

it('takes turns from one claim to the next, also within the same second', async () => {
  const quiet = await organizationOf(owner);
  await allowRuns(app, quiet, 10);
  for (let round = 0; round < 5; round += 1) {
    const { runRequestId } = await queueTask(app, quiet, { priority: -1_000 });
    const claims = [...(await claimAny()), ...(await claimAny())];
    expect(claims.map((each) => each.runRequestId)).toContain(runRequestId);
  }
});

it('one call takes turns, so that a flood does not fill it', async () => {
  const quiet = await organizationOf(owner);
  await queueTasks(app, quiet, 3);
  const claims = await claimAny(10);
  expect(claims.filter(({ organizationId }) => organizationId === quiet)).toHaveLength(3);
  expect(claims).toHaveLength(10);
});

it('claims that ask for a profile take turns too', async () => {
  const organizations = [await organizationOf(owner), await organizationOf(owner)];
  for (const id of organizations) await queueTasks(app, id, 3, { profile: 'support' });
  const served: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const body = { workerId: 'w', bootId: randomUUID(), profileKeys: ['support'] };
    served.push((await app.service.post(CLAIM_PATH, body)).body.data[0].organizationId);
  }
  for (let turn = 0; turn < 6; turn += 2)
    expect(served.slice(turn, turn + 2).toSorted()).toEqual(organizations.toSorted());
});

it('a locked hint holds up claims of its own organization, the last places of which go to one at a time', async () => {
  const [held, free] = [await organizationOf(owner), await organizationOf(owner)];
  for (const id of [held, free]) await queueTask(app, id, { profile: 'operator' });
  const claimOperator = async () => {
    const body = { workerId: 'w', bootId: randomUUID(), profileKeys: ['operator'] };
    return (await app.service.post(CLAIM_PATH, body)).body.data.map(({ organizationId }: Claimed) => organizationId);
  };
  const client = await app.db.connect();
  try {
    await client.query('begin');
    await client.query('select from organization_dispatch where organization_id = $1 for update', [held]);
    expect(await claimOperator()).toEqual([free]);
    expect(await claimOperator()).toEqual([]);
    await allowRuns(app, held, 5_000);
    expect(await claimOperator()).toEqual([held]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

it('many claims at once get what there is, each once', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => claimAny(2)));
  const ids = answers.flat().map(({ runRequestId }) => runRequestId);
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);
});

it('a claim passes by however many requests others are claiming', async () => {
  const organizationId = await organizationOf(owner);
  const requests = await queueTasks(app, organizationId, 42);
  await allowRuns(app, organizationId, 5_000);
  const others = await app.db.connect();
  try {
    await others.query('begin');
    await others.query(
      `select from run_request where organization_id = $1 and status = 'queued'
       order by priority desc, execution_class desc, available_at, id limit $2 for update`,
      [organizationId, requests.length - 2],
    );
    expect((await claim(app, organizationId, { limit: 2 })).body.data).toHaveLength(2);
  } finally {
    await others.query('rollback');
    others.release();
  }
});
