import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { capabilityOf, type ConnectedServer, connectServer } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const ROUNDS = Number(process.env.RACES ?? 5);
const KEY = 'CANARY-key-9Hj5Kx3Vb2';
const TOOLS = [
  { name: 'list_orders', annotations: { readOnlyHint: true } },
  { name: 'note', annotations: { readOnlyHint: false, destructiveHint: false } },
];

let peer: McpPeer;
/** One changes, the other one calls. */
let one: TestApp;
let two: TestApp;
let place: Workplace;
let server: ConnectedServer;

beforeAll(async () => {
  peer = await McpPeer.start(TOOLS);
  one = await TestApp.start({ env: peer.env });
  two = await TestApp.start({ databaseUrl: one.databaseUrl, env: peer.env });
  place = await Workplace.open(one);
  await one.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [place.organizationId]);
  server = await connectServer(place, peer, { apiKey: KEY });
});
afterAll(async () => {
  await two.close();
  await one.close();
  await peer.stop();
});

const at = (rest: string) => place.path(`/integrations/${server.key}${rest}`);
const grants = (profileGrants: readonly string[]) =>
  place.owner.put(at('/profiles'), { profileGrants, readOnlyProfileKeys: [] });

const CHANGES = {
  grants: { change: () => grants([]), back: () => grants(['growth']) },
  status: {
    change: () => place.owner.patch(at('/status'), { enabled: false }),
    back: () => place.owner.patch(at('/status'), { enabled: true }),
  },
  mode: {
    change: () => place.owner.put(at('/tools'), { accessMode: 'read_only' }),
    back: () => place.owner.put(at('/tools'), { accessMode: 'autonomous' }),
  },
  credential: {
    change: () => place.owner.delete(at('/credential')),
    back: () => place.owner.put(at('/credential'), { kind: 'api_key', apiKey: KEY }),
  },
};

/** An action on a connector that nobody touches, which waits for a person. */
async function waitingElsewhere() {
  const other = await connectServer(place, peer, { accessMode: 'ask_before_write' });
  const { agent } = await place.run();
  const { caller, pathTo } = await capabilityOf(place, agent, other);
  const { status, body } = await caller.post(pathTo('/tools/note/call'), { arguments: { text: randomUUID() } });
  expect(status).toBe(202);
  return place.path(`/actions/${body.data.action.id}`);
}

describe.each(Object.entries(CHANGES))('once a change of %s is acknowledged', (_, { change, back }) => {
  it('nothing that begins on another process reaches the provider, and an unrelated action stays', async () => {
    const elsewhere = await waitingElsewhere();
    const reached = (nonce: string) => peer.requests.some((request) => request.arguments?.nonce === nonce);
    for (let round = 0; round < ROUNDS; round += 1) {
      peer.forget();
      const { agent } = await place.run();
      const { caller, pathTo } = await capabilityOf(place, agent, server);
      const elsewhereCaller: Client = two.client(caller.token);
      const call = (tool: string, nonce: string) =>
        elsewhereCaller.post(pathTo(`/tools/${tool}/call`), { arguments: { nonce } });
      const racing = ['list_orders', 'note'].map((tool) => ({ tool, nonce: randomUUID() }));
      const [changed, ...raced] = await Promise.all([change(), ...racing.map(({ tool, nonce }) => call(tool, nonce))]);
      expect(changed.status).toBe(200);
      // What raced with the change was either let through before it, or refused and sent nothing.
      for (const [nth, { status, text }] of raced.entries()) {
        const { nonce } = racing[nth]!;
        if (status === 409) expect([text, reached(nonce)]).toEqual([text, false]);
        else expect([200, 202]).toContain(status);
      }
      const late = ['list_orders', 'note'].map((tool) => ({ tool, nonce: randomUUID() }));
      for (const { tool, nonce } of late) {
        const { status, text } = await call(tool, nonce);
        expect([status, text]).toEqual([409, text]);
        expect(reached(nonce)).toBe(false);
      }
      expect((await back()).status).toBe(200);
    }
    const { body } = await place.owner.get(elsewhere);
    expect(body.data.status).toBe('awaiting_approval');
    expect((await place.owner.post(`${elsewhere}/approve`, {})).status).toBe(200);
  }, 600_000);
});
