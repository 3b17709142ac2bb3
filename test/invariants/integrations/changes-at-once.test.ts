import { expect, it } from '@jest/globals';
import { epochOf, grantRows, integrationRow } from '../../support/factories/integrations/rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/** Changes of connectors that meet each other: none is lost, and each moves counters and epoch once. */
const app = useTestApp();
const place = useWorkplace(app);

const ROUNDS = Number(process.env.CONNECTOR_RACES ?? '10');
const epoch = () => epochOf(app, place.organizationId);
const connectorAt = async (options: Parameters<typeof integrationRow>[2] = {}) =>
  place.path(`/integrations/${await integrationRow(app, place.organizationId, options)}`);

it('one of many that expect the same revision wins', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = await connectorAt();
    const before = await epoch();
    const answers = await Promise.all(
      ['growth', 'support', 'engineering', 'chat'].map((key) =>
        place.owner.put(`${at}/profiles`, { profileGrants: [key], readOnlyProfileKeys: [], expectedRevision: 0 }),
      ),
    );
    const won = answers.find(({ status }) => status === 200)!;
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const { body } = await place.owner.get(at);
    expect(body.data).toMatchObject({ profileGrants: won.body.data.profileGrants, revisions: { grants: 1 } });
    expect(await epoch()).toBe(before + 1);
  }
});

it('those of different parts all stay, and the epoch rises by as many', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const at = await connectorAt();
    const before = await epoch();
    const answers = await Promise.all([
      place.owner.put(`${at}/profiles`, { profileGrants: ['growth'], readOnlyProfileKeys: [] }),
      place.owner.patch(`${at}/status`, { enabled: false }),
      place.owner.patch(at, { name: 'Shop' }),
      place.owner.patch(at, { endpoint: 'https://shop.acme.example/mcp' }),
      place.owner.post(`${at}/context-mapping`, { expectedRevision: 1, context: { policy: 'Ask.' } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await place.owner.get(at);
    expect(body.data).toMatchObject({
      name: 'Shop',
      enabled: false,
      endpoint: 'https://shop.acme.example/mcp',
      profileGrants: ['growth'],
      operatingContext: { policy: 'Ask.' },
      contextRevision: 2,
      revisions: { credential: 2, tools: 2, grants: 1 },
    });
    expect(await epoch()).toBe(before + 3);
  }
});

it('connectors that become usable at once are all in the order, each once', async () => {
  const purpose = `p_${Date.now()}`;
  const row = { purposes: [purpose], enabled: false };
  const paths = await Promise.all(Array.from({ length: 8 }, () => connectorAt({ row })));
  await Promise.all(paths.flatMap((at) => [1, 2].map(() => place.owner.patch(`${at}/status`, { enabled: true }))));
  const { body } = await place.owner.get(place.path('/integrations/preferences'));
  const keys = await Promise.all(paths.map(async (at) => (await place.owner.get(at)).body.data.key as string));
  expect(body.data.order[purpose].toSorted()).toEqual(keys.toSorted());
});

it('no context of an agent lands behind the end of its run', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await integrationRow(app, place.organizationId);
    await grantRows(app, place.organizationId, id, { operator: 'read' });
    const { body: read } = await place.owner.get(place.path(`/integrations/${id}`));
    const { agent, runId } = await place.run({}, 'operator');
    const learned = { expectedRevision: 1, authorizationEpoch: await epoch(), context: { policy: 'Learned.' } };
    const [answer, end] = await Promise.all([
      agent.patch(place.agentPath(`/integrations/${read.data.key}/context`), learned),
      app.db.query(
        // The clock is read behind the wait for the lock.
        `with held as materialized (select id from run where id = $1 for no key update), ended as (
           update run r set status = 'cancelled', finished_at = now() from held where r.id = held.id)
         select clock_timestamp()::text as ended from held`,
        [runId],
      ),
    ]);
    const { rows } = await app.db.query<{ early: boolean }>(
      'select at <= $2::timestamptz as early from activity where subject_id = $1',
      [id, end.rows[0].ended],
    );
    expect(rows).toEqual(answer.status === 200 ? [{ early: true }] : []);
  }
});
