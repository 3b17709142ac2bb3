import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { capabilityOf, connectServer } from '../../support/connectors/connected-servers.ts';
import { costOf } from '../../support/database/round-trips.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const app = new TestApp();
let peer: McpPeer;

beforeAll(async () => {
  peer = await McpPeer.start([{ name: 'list_orders', annotations: { readOnlyHint: true } }]);
  // Handles no events beside the calls.
  await app.open({ env: { ...peer.env, ROLE: 'api' } });
});
afterAll(async () => {
  await app.close();
  await peer.stop();
});

it('a read costs one round trip before the provider and one after it, and the provider one request', async () => {
  const place = await Workplace.open(app);
  const server = await connectServer(place, peer);
  const { agent } = await place.run();
  const { caller, pathTo } = await capabilityOf(place, agent, server);
  const read = () => caller.post(pathTo('/tools/list_orders/call'), { arguments: {} });
  await read();
  peer.forget();
  // What the service sends of its own accord in between is not the call's: one of a few reads is without.
  const costs = [await costOf(read), await costOf(read), await costOf(read)];
  expect(Math.min(...costs.map(({ length }) => length))).toBe(2);
  expect(peer.methods).toEqual(['tools/call', 'tools/call', 'tools/call']);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_orders', arguments: {} } };
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  expect(await costOf(() => caller.post(pathTo('/mcp'), message, headers))).toHaveLength(2);
});
