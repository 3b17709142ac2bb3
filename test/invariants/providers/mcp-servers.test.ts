import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListedTool, McpMemory, ProviderAccess, ToolSession } from '../../../src/modules/integrations/index.ts';
import { McpServers } from '../../../src/modules/providers/mcp/index.ts';
import { McpPeer, netTo, type PeerEra, type PeerTool } from '../../support/peers/mcp-peer.ts';
import { until } from '../../support/until.ts';

const adapter = new McpServers();
const MODERN: McpMemory = { era: 'modern', version: '2026-07-28' };
const LEGACY: McpMemory = { era: 'legacy', version: '2025-11-25' };

const TOOLS: readonly PeerTool[] = [
  {
    name: 'count_orders',
    title: 'Count orders',
    description: 'How many orders there are.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { status: { type: 'string', enum: ['open', 'paid'] } } },
    outputSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
    run: ({ status }) => ({ structuredContent: { count: status === 'open' ? 3 : 7 } }),
  },
  { name: 'note_order', annotations: { destructiveHint: false }, run: () => ({ structuredContent: { noted: true } }) },
  { name: 'send_invoice', annotations: { destructiveHint: true }, run: () => ({ isError: true }) },
  { name: 'plain' },
];

let peer: McpPeer;
beforeAll(async () => {
  peer = await McpPeer.start(TOOLS);
});
afterAll(() => peer.stop());
beforeEach(() => {
  peer.forget();
  peer.era = 'both';
  peer.tokens = undefined;
  peer.pageSize = 100;
  peer.answering = undefined;
});

function access(mcp: McpMemory | null, more: Partial<ProviderAccess> = {}): ProviderAccess {
  return { endpoint: peer.endpoint, secret: { kind: 'none' }, mcp, ...more };
}

/** Works in one connection. */
async function within<T>(mcp: McpMemory | null, work: (session: ToolSession) => Promise<T>): Promise<T> {
  const session = await adapter.open(access(mcp), peer.net());
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

const toolOf = (name: string) => within(MODERN, async (session) => (await session.find(name))!);
const signal = new AbortController().signal;

describe.each<{ era: PeerEra; spoken: McpMemory; asked: readonly string[] }>([
  { era: 'modern', spoken: MODERN, asked: ['server/discover', 'tools/list'] },
  {
    era: 'legacy',
    spoken: LEGACY,
    asked: ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'],
  },
])('a server of the $era era', ({ era, spoken, asked }) => {
  beforeEach(() => {
    peer.era = era;
  });

  it('is found out when nothing is known of it, and listed', async () => {
    const { inventory, observations, account } = await adapter.verify(access(null), null, peer.net());
    expect(peer.methods).toEqual(asked);
    expect(inventory).toMatchObject({ mcp: spoken, server: { name: 'peer', version: '1.2.3' }, excluded: [] });
    expect(
      inventory!.tools.map(({ name, access: given, risk, reviewRequired }) => [name, given, risk, reviewRequired]),
    ).toEqual([
      ['count_orders', 'read', 'external', false],
      ['note_order', 'write', 'external', false],
      ['send_invoice', 'write', 'high', true],
      ['plain', 'write', 'external', true],
    ]);
    expect(observations.map(({ scope, status }) => [scope, status])).toEqual([
      ['credential', 'verified'],
      ['tools', 'verified'],
    ]);
    expect(account).toEqual({ subject: null, label: null });
  });

  it('is asked for nothing twice when it is known', async () => {
    const tool = await toolOf('count_orders').catch(() => undefined);
    peer.forget();
    const read = await within(spoken, async (session) => {
      const found = tool ?? (await session.find('count_orders'))!;
      return session.read({ tool: found, arguments: { status: 'open' } });
    });
    expect(read).toEqual({
      output: { content: expect.anything(), structuredContent: { count: 3 }, isError: false },
      truncated: false,
    });
    const handshake = era === 'legacy' ? ['initialize', 'notifications/initialized'] : [];
    expect(peer.methods.filter((each) => each !== 'tools/list')).toEqual([...handshake, 'tools/call']);
  });

  it('is found out anew where it does not speak what it spoke before, by a read and by a list', async () => {
    const other = era === 'modern' ? LEGACY : MODERN;
    await within(other, async (session) => {
      const { tools } = await session.list();
      expect(tools).toHaveLength(TOOLS.length);
      expect(session.mcp).toEqual(spoken);
    });
    const [tool] = await within(spoken, async (session) => (await session.list()).tools);
    await within(other, async (session) => {
      expect(await session.read({ tool: tool!, arguments: {} })).toMatchObject({
        output: { structuredContent: { count: 7 } },
      });
      expect(session.mcp).toEqual(spoken);
    });
  });

  it('does a write once, in the connection that found the tool', async () => {
    const sent = await within(spoken, async (session) => {
      const tool = (await session.find('note_order'))!;
      return session.write({ tool, arguments: { id: 1 } }, signal);
    });
    expect(sent).toMatchObject({ outcome: 'succeeded', result: { output: { structuredContent: { noted: true } } } });
    expect(peer.effects).toEqual([{ name: 'note_order', arguments: { id: 1 } }]);
  });

  it('says of a failed write that it failed', async () => {
    const sent = await within(spoken, async (session) => {
      const tool = (await session.find('send_invoice'))!;
      return session.write({ tool, arguments: {} }, signal);
    });
    expect(sent).toEqual({ outcome: 'failed', error: { code: 'tool_error', status: 200 } });
  });
});

describe('a list', () => {
  it('is read page by page, and only as far as the tool that is looked for', async () => {
    peer.pageSize = 1;
    await within(MODERN, async (session) => {
      expect((await session.find('note_order'))?.name).toBe('note_order');
      expect(peer.methods).toEqual(['tools/list', 'tools/list']);
      expect((await session.list()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
      expect(await session.find('nobody')).toBeUndefined();
    });
  });
});

describe('a credential', () => {
  it.each([
    [{ kind: 'api_key', apiKey: 'key-1' } as const, 'authorization', 'Bearer key-1'],
    [{ kind: 'api_key', apiKey: 'key-2', header: 'X-Key' } as const, 'x-key', 'key-2'],
    [
      { kind: 'authorized', authorize: () => ({ authorization: 'Bearer token' }) } as const,
      'authorization',
      'Bearer token',
    ],
  ])('is sent in its header with every request, the end of the session too: %p', async (secret, header, value) => {
    const session = await adapter.open(access(null, { secret }), peer.net());
    await session.list();
    await session.close();
    expect(peer.requests.map(({ headers }) => headers[header])).toEqual(peer.requests.map(() => value));
  });

  it('that is refused is told apart', async () => {
    peer.tokens = new Set(['right']);
    for (const mcp of [null, MODERN, LEGACY])
      await expect(adapter.verify(access(mcp), null, peer.net())).rejects.toMatchObject({
        failure: { code: 'credential_refused', status: 401, sent: true },
      });
  });
});

describe('the server of the protocol’s authors', () => {
  let child: ReturnType<typeof spawn>;
  let origin: string;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const require = createRequire(import.meta.url);
    const main = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
    child = spawn(process.execPath, [main, 'streamableHttp'], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (said += String(text)));
    await until('it listens', () => said.includes('listening'));
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
  });

  it('lists its tools, echoes and adds, with a session of its own each time', async () => {
    const here = { endpoint: `${origin}/mcp`, secret: { kind: 'none' } as const, mcp: null };
    const { inventory } = await adapter.verify(here, null, netTo(origin));
    expect(inventory).toMatchObject({ mcp: { era: 'legacy' }, excluded: [] });
    const named = new Map(inventory!.tools.map((tool): [string, ListedTool] => [tool.name, tool]));
    const session = await adapter.open({ ...here, mcp: inventory!.mcp }, netTo(origin));
    const echo = named.get('echo')!;
    expect(await session.read({ tool: echo, arguments: { message: 'hello' } })).toEqual({
      output: { content: [{ type: 'text', text: 'Echo: hello' }], isError: false },
      truncated: false,
    });
    const image = named.get('get-tiny-image')!;
    const { output } = await session.read({ tool: image, arguments: {} });
    expect(output).toMatchObject({
      content: expect.arrayContaining([{ type: 'image', mimeType: 'image/png', bytes: expect.any(Number) }]),
    });
    await session.close();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
