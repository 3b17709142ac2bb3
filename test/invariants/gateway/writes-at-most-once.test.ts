import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { capabilityOf, connectServer } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

/** Raised for the big run. */
const WRITES = Number(process.env.GATEWAY_WRITES ?? 30);
const AT_ONCE = 4;
/** Half a second a write is enough on a busy machine. */
const TIMEOUT_MS = 30_000 + WRITES * 500;
const NOTE = { name: 'note', annotations: { destructiveHint: false } };
const app = new TestApp();
const replica = new TestApp();
let peer: McpPeer;

beforeAll(async () => {
  peer = await McpPeer.start([NOTE]);
  await app.open({ env: peer.env, ownDatabase: true });
  await replica.open({ env: peer.env, databaseUrl: app.databaseUrl });
});
afterAll(async () => {
  await replica.close();
  await app.close();
  await peer.stop();
});

/** What the server does with the effect of a call, by its number. */
const MANNERS = ['answers', 'drops the connection', 'answers', 'answers badly', 'defines the tool anew'] as const;

it(
  'writes against a server that drops, lies and changes: each sent at most once, the ambiguous ones parked',
  async () => {
    const place = await Workplace.open(app);
    const { organizationId } = place;
    await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [organizationId]);
    let server = await connectServer(place, peer);
    const mannerOf = (n: unknown) => MANNERS[Number(n) % MANNERS.length]!;
    peer.answering = ({ method, arguments: given }, response) => {
      if (method !== 'tools/call') return false;
      const manner = mannerOf(given?.n);
      if (manner === 'answers') return false;
      peer.effects.push({ name: 'note', arguments: given! });
      if (manner === 'drops the connection') response.destroy();
      else response.writeHead(500, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0"');
      return true;
    };
    const ended = new Map<number, string>();
    const write = async (n: number, to: TestApp) => {
      const { agent } = await place.run({ task: { max_actions: 100 } });
      const { caller, pathTo } = await capabilityOf(place, agent, server);
      const client = to.client(caller.token);
      const call = () => client.post(pathTo('/tools/note/call'), { arguments: { n } });
      const [first] = await Promise.all([call(), call()]);
      const again = await call();
      expect([again.status, again.body.data?.action.id]).toEqual([expect.any(Number), first.body.data?.action.id]);
      ended.set(n, again.body.data.action.status as string);
    };
    for (let n = 0; n < WRITES; n += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, WRITES - n) }, (_, index) => n + index);
      const [changing, steady] = [some.filter(isChanging), some.filter((each) => !isChanging(each))];
      await Promise.all(steady.map((each) => write(each, each % 2 === 0 ? app : replica)));
      for (const each of changing) {
        peer.define({ ...NOTE, description: `Does something else since ${each}.` });
        await write(each, app);
        peer.define(NOTE);
        server = await connectServer(place, peer);
      }
    }
    const times = Map.groupBy(peer.effects, ({ arguments: { n } }) => n as number);
    expect([...times].filter(([, effects]) => effects.length > 1)).toEqual([]);
    for (const [n, status] of ended) {
      const manner = mannerOf(n);
      const expected = isChanging(n) ? 'expired' : manner === 'answers' ? 'succeeded' : 'reconciliation_required';
      expect([n, manner, status, times.get(n)?.length ?? 0]).toEqual([n, manner, expected, isChanging(n) ? 0 : 1]);
    }
    const { rows } = await app.db.query(
      `select status, count(*)::int as count from inbox_item where organization_id = $1 and kind = 'reconciliation' group by 1`,
      [organizationId],
    );
    const parked = [...ended.values()].filter((status) => status === 'reconciliation_required').length;
    expect(rows).toEqual([{ status: 'open', count: parked }]);
  },
  TIMEOUT_MS,
);

function isChanging(n: number): boolean {
  return MANNERS[n % MANNERS.length] === 'defines the tool anew';
}
