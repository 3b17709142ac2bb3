import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { Outside } from '../../support/peers/outside.ts';
import { fillStore, LIVE_KEY, PaymentsPeer } from '../../support/peers/payments-peer.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { TestApp } from '../../support/test-app.ts';

/** Raised for the big run. */
const WRITES = Number(process.env.PAYMENTS_WRITES ?? 24);
/** As many as an organization sends at once, or some would wait for a job. */
const AT_ONCE = 4;
const TIMEOUT_MS = 30_000 + WRITES * 500;
const KEY = 'payments-provider';
const app = new TestApp();
const replica = new TestApp();
let outside: Outside;
let peer: PaymentsPeer;

beforeAll(async () => {
  outside = await Outside.start();
  await app.open({ ownDatabase: true });
  await replica.open({ databaseUrl: app.databaseUrl });
  outside.surround(app);
  outside.surround(replica);
  peer = await PaymentsPeer.start(outside);
  fillStore(peer, 1);
});
afterAll(async () => {
  await replica.close();
  await app.close();
  outside.stop();
});

it(
  'writes whose provider drops the connection behind the effect: each sent once, none again, whoever asks',
  async () => {
    const place = await Workplace.open(app);
    const at = (rest: string) => place.path(`/integrations/${KEY}${rest}`);
    await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [
      place.organizationId,
    ]);
    await place.owner.put(at('/credential'), { kind: 'api_key', apiKey: LIVE_KEY });
    await place.owner.put(at('/settings'), { settings: { kind: KEY, storeIds: ['1'] } });
    await place.owner.put(at('/profiles'), { profileGrants: ['growth'], readOnlyProfileKeys: [] });
    await place.owner.put(at('/tools'), { accessMode: 'autonomous' });
    const { id } = (await place.owner.get(at(''))).body.data as { id: string };
    peer.afterWrite = (response, attributes) => {
      // One in four breaks off within its answer instead of before it.
      if (numberOf(attributes) % 4 === 0) response.writeHead(201, { 'content-length': '900' }).write('{"data":');
      response.destroy();
      return true;
    };
    const statuses = new Map<number, string>();
    const write = async (n: number) => {
      const { agent } = await place.run({ task: { max_actions: 100 } });
      const { caller, pathTo } = await capabilityOf(place, agent, { id, key: KEY });
      const [tool, args] =
        n % 2 === 0
          ? ['create_customer', { store_id: '1', name: `Customer ${n}`, email: `number-${n}@acme.example` }]
          : ['create_checkout', { store_id: '1', variant_id: '12', checkout_data: { name: `number-${n}@` } }];
      const call = (to: TestApp) => to.client(caller.token).post(pathTo(`/tools/${tool}/call`), { arguments: args });
      const [first] = await Promise.all([call(app), call(replica)]);
      const again = await call(n % 3 === 0 ? app : replica);
      expect(again.body.data.action.id).toBe(first.body.data.action.id);
      statuses.set(n, again.body.data.action.status as string);
    };
    for (let n = 1; n <= WRITES; n += AT_ONCE)
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, WRITES - n + 1) }, (_, index) => write(n + index)));
    const times = Map.groupBy(peer.effects, ({ attributes }) => numberOf(attributes));
    expect([...times].filter(([, effects]) => effects.length > 1)).toEqual([]);
    expect(peer.effects).toHaveLength(WRITES);
    expect(Map.groupBy(statuses.values(), (status) => status).get('reconciliation_required')).toHaveLength(WRITES);
    // Nobody sends them again, not even those that look what became of them.
    const posts = () => peer.asked.filter((each) => each.startsWith('POST')).length;
    await app.db.query('update action set settle_at = clock_timestamp() where settle_at is not null');
    for (let swept = 0; swept < WRITES; swept += 100) await replica.runJob('actions-settle');
    expect([posts(), peer.faults]).toEqual([WRITES, []]);
    const { rows } = await app.db.query(
      `select tool_name as tool, status, count(*)::int as count from action where organization_id = $1 group by 1, 2 order by 1`,
      [place.organizationId],
    );
    // Customers are found by their address; what became of a checkout only a person can say.
    expect(rows).toEqual([
      { tool: 'create_checkout', status: 'reconciliation_required', count: Math.ceil(WRITES / 2) },
      { tool: 'create_customer', status: 'succeeded', count: Math.floor(WRITES / 2) },
    ]);
  },
  TIMEOUT_MS,
);

/** The number of a write, which stands before the first `@` of what it sent. */
function numberOf(attributes: object): number {
  return Number(/number-(\d+)@/.exec(JSON.stringify(attributes))![1]);
}
