import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Answer, organizationOf, type Person } from '../../support/client.ts';
import { type MadeConnector, ownConnector } from '../../support/factories/integrations/connectors.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const ROUNDS = Number(process.env.RACES ?? 30);
const READ = { readOnlyHint: true };

let peer: McpPeer;
let apps: readonly [TestApp, TestApp];
let owner: Person;
let connector: MadeConnector;
let organizationId: string;

beforeAll(async () => {
  peer = await McpPeer.start([
    { name: 'one', annotations: READ },
    { name: 'two', annotations: READ },
    { name: 'three' },
  ]);
  const first = await TestApp.start({ env: peer.env });
  apps = [first, await TestApp.start({ databaseUrl: first.databaseUrl, env: peer.env })];
  owner = await first.person();
  organizationId = await organizationOf(owner);
  connector = await ownConnector(owner, organizationId, peer.endpoint);
});
afterAll(async () => {
  for (const app of apps) await app.close();
  await peer.stop();
});

interface Row {
  readonly counter: number;
  readonly generation: number | null;
  readonly epoch: number;
  readonly tools: number;
}

async function row(): Promise<Row> {
  const { rows } = await apps[0].db.query<Row>(
    `select i.credential_generation as counter, i.tools_revision as tools, c.generation,
       (select o.authorization_epoch from organization o where o.id = i.organization_id) as epoch
     from integration i left join integration_credential c on c.integration_id = i.id where i.id = $1`,
    [connector.id],
  );
  return rows[0]!;
}

/** Connections, removals and choices of two processes at once; each that is answered 200 happened alone. */
it('stores what a provider said only where nothing changed since it was asked', async () => {
  const [one, two] = apps.map((app) => app.client(owner.token));
  let refused = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await row();
    const keys = [randomUUID(), randomUUID(), randomUUID()];
    const connect = (client: typeof one, apiKey: string) =>
      client!.put(`${connector.at}/credential`, { kind: 'api_key', apiKey });
    const tools = round % 2 === 0 ? ['one'] : ['one', 'two'];
    const [first, second, third, removed, chosen] = await Promise.all([
      connect(one, keys[0]!),
      connect(two, keys[1]!),
      connect(one, keys[2]!),
      two!.delete(`${connector.at}/credential`),
      one!.put(`${connector.at}/tools`, { accessMode: 'read_only', tools }),
    ]);
    const connected = [first, second, third];
    for (const { status, body } of connected)
      if (status !== 200) {
        expect([status, body.error.issues[0].code]).toEqual([409, 'changed_meanwhile']);
        refused += 1;
      }
    expect(removed.status).toBe(200);
    const after = await row();
    const stored = connected.filter(({ status }) => status === 200).length;
    // A removal of nothing moves nothing.
    const moved = after.counter - before.counter;
    expect([stored, stored + 1]).toContain(moved);
    expect(after.generation === null || after.generation === after.counter).toBe(true);
    const isChosen = chosen.status === 200 && after.tools > before.tools;
    expect(after.epoch - before.epoch).toBeGreaterThanOrEqual(moved);
    expect(after.epoch - before.epoch).toBeLessThanOrEqual(moved + (isChosen ? 1 : 0));
    await expectLastKey(connected, keys, after);
  }
  expect(refused).toBeGreaterThan(0);
}, 120_000);

/** The credential that stands is the one whose answer said so last. */
async function expectLastKey(connected: readonly Answer[], keys: readonly string[], after: Row): Promise<void> {
  const generations = connected.map(({ status, body }) => (status === 200 ? body.data.revisions.credential : 0));
  peer.forget();
  await owner.post(`${connector.at}/check`);
  if (after.generation === null) expect(peer.requests).toEqual([]);
  else {
    const nth = generations.indexOf(after.generation);
    expect(nth).not.toBe(-1);
    for (const { headers } of peer.requests) expect(headers.authorization).toBe(`Bearer ${keys[nth]}`);
  }
}
