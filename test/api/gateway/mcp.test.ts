import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Client } from '../../support/client.ts';
import { capabilityOf, connectServer, type ConnectedServer } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { McpPeer } from '../../support/peers/mcp-peer.ts';
import { TestApp } from '../../support/test-app.ts';

const app = new TestApp();
let peer: McpPeer;
let place: Workplace;
let server: ConnectedServer;
let asking: ConnectedServer;
let agent: Client;
let caller: Client;
let pathTo: (rest: string) => string;
let runId: string;
let base: string;

beforeAll(async () => {
  peer = await McpPeer.start([
    {
      name: 'list_orders',
      title: 'List orders',
      annotations: { readOnlyHint: true },
      inputSchema: { type: 'object', properties: { status: { type: 'string', enum: ['open'] } } },
      run: () => ({ content: [{ type: 'text', text: '2 orders' }] }),
    },
    { name: 'note', annotations: { destructiveHint: false } },
  ]);
  await app.open({ env: peer.env });
  place = await Workplace.open(app);
  await app.db.query(`update organization set approval_required_for_risk = '{}' where id = $1`, [place.organizationId]);
  server = await connectServer(place, peer);
  asking = await connectServer(place, peer, { accessMode: 'ask_before_write' });
  await app.app.listen(0, '127.0.0.1');
  base = await app.app.getUrl();
});
afterAll(async () => {
  await app.close();
  await peer.stop();
});
beforeEach(async () => {
  peer.forget();
  ({ agent, runId } = await place.run());
  ({ caller, pathTo } = await capabilityOf(place, agent, server));
});

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
const send = (message: unknown, headers: Record<string, string> = {}) =>
  caller.post(pathTo('/mcp'), message, { ...HEADERS, ...headers });
const called = (name: string, args: object = {}) =>
  send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

describe('any client', () => {
  it('of the new revision lists and calls', async () => {
    const client = new ModernClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${caller.token!}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(base + pathTo('/mcp')), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: 'list_orders', title: 'List orders', _meta: { access: 'read', approval: 'none' } },
      { name: 'note', _meta: { access: 'write', approval: 'none' } },
    ]);
    const result = await client.callTool({ name: 'list_orders', arguments: {} });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '2 orders' }], isError: false });
    await client.close();
  });

  it('of a revision that is not spoken is answered with one that is', async () => {
    const initialize = (protocolVersion: string) =>
      caller.post(
        pathTo('/mcp'),
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        },
        // Answers are always JSON.
        { accept: 'application/json' },
      );
    const answers = ['2025-03-26', '2024-11-05', '2024-10-07'].map(async (version) => {
      const { status, body } = await initialize(version);
      return [status, body.result.protocolVersion];
    });
    expect(await Promise.all(answers)).toEqual([
      [200, '2025-03-26'],
      [200, '2025-11-25'],
      [200, '2025-11-25'],
    ]);
  });

  it('of an old revision lists and calls', async () => {
    const client = new OldClient({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${caller.token!}` } };
    await client.connect(new OldTransport(new URL(base + pathTo('/mcp')), { requestInit }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_orders', 'note']);
    const result = await client.callTool({ name: 'note', arguments: { text: 'by an old client' } });
    expect(result).toMatchObject({ isError: false, _meta: { status: 'succeeded' } });
    expect(peer.effects).toEqual([{ name: 'note', arguments: { text: 'by an old client' } }]);
    await client.close();
  });
});

describe('a call', () => {
  it('that waits for a person says how to wait, and is met again', async () => {
    ({ caller, pathTo } = await capabilityOf(place, agent, asking));
    const { status, body } = await called('note', { text: 'ask' });
    expect([status, body.result]).toMatchObject([
      200,
      { isError: true, _meta: { code: 'awaiting_approval', status: 'awaiting_approval' } },
    ]);
    expect(body.result.content[0].text).toMatch(/A-[0-9A-Z]{6}.*action_wait/);
    const again = await called('note', { text: 'ask' });
    expect(again.body.result._meta.actionId).toBe(body.result._meta.actionId);
  });

  it('that is refused or fails is a result with its code', async () => {
    const { body } = await called('list_orders', { status: 'lost' });
    expect(body.result).toMatchObject({ isError: true, _meta: { code: expect.any(String) } });
    expect(body.result.content[0].text).toContain('arguments');
  });

  it('has arguments of at most 256 KiB, whatever it does', async () => {
    for (const tool of ['list_orders', 'note']) {
      const { body } = await called(tool, { text: 'x'.repeat(300_000) });
      expect(body.result).toMatchObject({ isError: true, _meta: { code: 'too_large' } });
    }
    expect(peer.requests).toEqual([]);
  });

  it('of an unknown tool is -32602', async () => {
    const { status, body } = await called('nothing');
    expect([status, body.error.code]).toEqual([200, -32_602]);
  });
});

describe('what refuses the whole exchange', () => {
  it('keeps its status and says its code', async () => {
    await app.db.query(`update run set status = 'succeeded' where id = $1`, [runId]);
    const { status, body } = await called('list_orders');
    expect([status, body]).toMatchObject([409, { id: 1, error: { code: -32_000, data: { code: 'state_conflict' } } }]);
    expect((await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).status).toBe(409);
  });

  it('is a body that is no message, another origin, and any other method', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const batch = await send([message]);
    expect([batch.status, batch.body.error.code]).toEqual([400, -32_600]);
    const foreign = await send(message, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.body.error]).toMatchObject([
      403,
      { code: -32_000, data: { code: 'foreign_origin' } },
    ]);
    expect((await send(message, { origin: 'http://localhost:6274' })).status).toBe(200);
    for (const method of ['GET', 'DELETE'])
      expect((await caller.send(method, pathTo('/mcp'), undefined, HEADERS)).status).toBe(405);
  });

  it('is nothing of a notification', async () => {
    const { status, text } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });
});
