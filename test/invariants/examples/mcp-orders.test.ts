import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ListedTool, ProviderAccess } from '../../../src/modules/integrations/index.ts';
import { McpServers } from '../../../src/modules/providers/mcp/index.ts';
import { netTo } from '../../support/peers/mcp-peer.ts';
import { OrdersProcess } from '../../support/processes/orders-process.ts';

const adapter = new McpServers();
const signal = new AbortController().signal;
let server: OrdersProcess;
beforeAll(async () => {
  server = await OrdersProcess.start();
});
afterAll(async () => {
  await server.stop('SIGTERM');
});

function access(apiKey: string = OrdersProcess.TOKEN): ProviderAccess {
  return { endpoint: server.endpoint, secret: { kind: 'api_key', apiKey }, mcp: null };
}

async function tools(): Promise<ReadonlyMap<string, ListedTool>> {
  const { inventory } = await adapter.verify(access(), null, netTo(server.origin));
  return new Map(inventory!.tools.map((tool) => [tool.name, tool]));
}

describe('the example of an MCP server', () => {
  it('offers two reads, a write that is harmless and one that sends', async () => {
    const listed = [...(await tools()).values()];
    expect(listed.map(({ name, access: kind, risk, reviewRequired }) => [name, kind, risk, reviewRequired])).toEqual([
      ['list_orders', 'read', 'external', false],
      ['get_order', 'read', 'external', false],
      ['note_order', 'write', 'external', false],
      ['message_customer', 'write', 'high', true],
    ]);
    await expect(adapter.verify(access('another'), null, netTo(server.origin))).rejects.toMatchObject({
      failure: { code: 'credential_refused' },
    });
  });

  it('says to whoever has no token that there is no authorization server', async () => {
    const paths = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server', '/mcp'];
    const answers = await Promise.all(paths.map((path) => fetch(new URL(path, server.endpoint), { method: 'POST' })));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 401]);
  });

  it('answers from its file, and keeps there what it did', async () => {
    const known = await tools();
    const session = await adapter.open(access(), netTo(server.origin));
    const { output } = await session.read({
      tool: known.get('list_orders')!,
      arguments: { customer: 'orchard', limit: 2 },
    });
    expect(output).toMatchObject({ structuredContent: { total: 12, orders: [{ customer: 'Orchard Insurance' }, {}] } });
    const args = { order_id: 'ORD-0001', text: 'pay, "please"' };
    for (const name of ['note_order', 'message_customer'])
      expect(await session.write({ tool: known.get(name)!, arguments: args }, signal)).toMatchObject({
        outcome: 'succeeded',
      });
    const read = await session.read({ tool: known.get('get_order')!, arguments: { order_id: 'ORD-0001' } });
    expect(read.output).toMatchObject({
      structuredContent: { order: { note: 'noted: pay, "please"; wrote: pay, "please"' } },
    });
    expect(server.log).toContain('to orders@orchard-insurance.example, about ORD-0001: pay, "please"');
    const unknown = { tool: known.get('note_order')!, arguments: { ...args, order_id: 'ORD-9999' } };
    expect(await session.write(unknown, signal)).toMatchObject({ outcome: 'failed', error: { code: 'tool_error' } });
  });

  it('keeps its file over a restart; another edition describes one tool otherwise, and no other', async () => {
    const before = await tools();
    const { file } = server;
    await server.stop('SIGKILL');
    server = await OrdersProcess.start({ file, edition: '2' });
    const after = await tools();
    const changed = [...before].filter(([name, tool]) => after.get(name)?.definitionHash !== tool.definitionHash);
    expect(changed.map(([name]) => name)).toEqual(['message_customer']);
    expect(server.count('wrote: pay')).toBe(1);
  });
});
