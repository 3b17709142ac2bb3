import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ListedTool, McpMemory, ProviderAccess, ToolSession } from '../../../src/modules/integrations/index.ts';
import { McpServers } from '../../../src/modules/providers/mcp/index.ts';
import { McpPeer, type PeerRequest } from '../../support/peers/mcp-peer.ts';

const adapter = new McpServers();
const MODERN: McpMemory = { era: 'modern', version: '2026-07-28' };
const LEGACY: McpMemory = { era: 'legacy', version: '2025-11-25' };
const signal = new AbortController().signal;
let peer: McpPeer;
let tool: ListedTool;

beforeAll(async () => {
  const outputSchema = { type: 'object' as const, properties: { n: { type: 'integer' } }, required: ['n'] };
  peer = await McpPeer.start([{ name: 'pay', outputSchema }]);
  const { inventory } = await adapter.verify(access(null), null, peer.net());
  [tool] = inventory!.tools as [ListedTool];
});
afterAll(() => peer.stop());
beforeEach(() => {
  peer.forget();
  peer.answering = undefined;
});

function access(mcp: McpMemory | null): ProviderAccess {
  return { endpoint: peer.endpoint, secret: { kind: 'api_key', apiKey: 'CANARY-key' }, mcp };
}

type Answer = (request: PeerRequest, response: ServerResponse) => unknown;

/** Lets the peer answer calls of tools so, and nothing else. */
function answerCalls(answer: Answer): void {
  peer.answering = async (request, response) => {
    if (request.method !== 'tools/call') return false;
    await answer(request, response);
    return true;
  };
}

async function within<T>(mcp: McpMemory, work: (session: ToolSession) => Promise<T>): Promise<T> {
  const session = await adapter.open(access(mcp), peer.net());
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

const write = (mcp = MODERN) => within(mcp, (session) => session.write({ tool, arguments: {} }, signal));
const read = (mcp = MODERN) => within(mcp, (session) => session.read({ tool, arguments: {} }));

const idOf = ({ body }: PeerRequest) => (JSON.parse(body) as { id: unknown }).id;
const json = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };

const said =
  (message: (id: unknown) => unknown, status = 200): Answer =>
  (request, response) =>
    response.writeHead(status, json).end(JSON.stringify(message(idOf(request))));
const result = (value: object) => (id: unknown) => ({ jsonrpc: '2.0', id, result: value });
const error = (code: number) => (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: 'CANARY-text', data: { hint: 'CANARY-data' } },
});
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(code, { ...headers, ...json }).end('{"detail":"CANARY-text"}');
const event = (message: unknown) => `event: message\nid: 7\ndata: ${JSON.stringify(message)}\n\n`;

const GOOD = { resultType: 'complete', content: [{ type: 'text', text: 'paid' }], structuredContent: { n: 1 } };

/** Answers that prove a refusal. */
const REFUSED: readonly (readonly [string, Answer, string, number])[] = [
  ...[-32_700, -32_600, -32_601, -32_020, -32_021, -32_022].map(
    (code) => [`error ${code}`, said(error(code)), 'bad_answer', 200] as const,
  ),
  ['error -32602', said(error(-32_602)), 'provider_rejected', 200],
  ['a result that is an error', said(result({ ...GOOD, isError: true })), 'tool_error', 200],
  [
    'a result that wants more input',
    said(result({ resultType: 'input_required', inputRequests: { one: {} } })),
    'input_required',
    200,
  ],
  ['a redirect to itself', status(307, { location: '/mcp' }), 'bad_answer', 307],
  ['a redirect elsewhere', status(302, { location: 'https://elsewhere.example/' }), 'bad_answer', 302],
  ['400', status(400), 'provider_rejected', 400],
  ['400 with an error', said(error(-32_020), 400), 'bad_answer', 400],
  ['401', status(401), 'credential_refused', 401],
  ['403', status(403), 'scope_lost', 403],
  ...[404, 405, 406, 413, 415].map((code) => [String(code), status(code), 'bad_answer', code] as const),
  ['422', status(422), 'provider_rejected', 422],
  ['429', status(429, { 'retry-after': '7' }), 'rate_limited', 429],
];

/** Answers after which nobody knows. */
const AMBIGUOUS: readonly (readonly [string, Answer, string])[] = [
  ...[-32_603, -32_000, -32_001, 1].map((code) => [`error ${code}`, said(error(code)), 'bad_answer'] as const),
  ...[408, 500, 502, 503, 599].map((code) => [String(code), status(code), 'unavailable'] as const),
  ['409', status(409), 'bad_answer'],
  ['500 with an error of the protocol', said(error(-32_602), 500), 'unavailable'],
  ['a reset', (_, response) => response.socket!.resetAndDestroy(), 'unavailable'],
  [
    'an answer that breaks off',
    (_, response) => {
      response.writeHead(200, { ...json, 'content-length': '100' }).write('{"jsonrpc"');
      setTimeout(() => response.destroy(), 5);
    },
    'unavailable',
  ],
  [
    'a refusal that breaks off',
    (_, response) => {
      response.writeHead(400, { ...json, 'content-length': '100' }).write('{"jsonrpc"');
      setTimeout(() => response.destroy(), 5);
    },
    'unavailable',
  ],
  ['too much', said((id) => result({ ...GOOD, more: 'x'.repeat(1_048_577) })(id)), 'result_too_large'],
  [
    'too many values',
    said(result({ ...GOOD, structuredContent: { n: 1, m: Array(20_000).fill(1) } })),
    'result_too_large',
  ],
  [
    'too many values in a stream',
    (request, response) => {
      const more = Array(20_000).fill(1);
      response.writeHead(200, stream).end(event(result({ ...GOOD, more })(idOf(request))));
    },
    'result_too_large',
  ],
  ['no JSON', (_, response) => response.writeHead(200, json).end('{"jsonrpc":"2.0",'), 'bad_answer'],
  ['what is nested too deeply', said((id) => result({ ...GOOD, more: nested(70) })(id)), 'bad_answer'],
  ['a page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>ok</p>'), 'bad_answer'],
  [
    'a compressed answer',
    (_, response) => response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync('{}')),
    'bad_answer',
  ],
  ['no UTF-8', (_, response) => response.writeHead(200, json).end(Buffer.from([0x22, 0xff, 0x22])), 'bad_answer'],
  ['the answer to another request', said(() => result(GOOD)(99)), 'bad_answer'],
  ['a batch', said((id) => [result(GOOD)(id)]), 'bad_answer'],
  ['both a result and an error', said((id) => ({ ...result(GOOD)(id), ...error(-32_602)(id) })), 'bad_answer'],
  ['no content', said(result({ resultType: 'complete' })), 'bad_answer'],
  ['an unknown kind of result', said(result({ ...GOOD, resultType: 'task' })), 'bad_answer'],
  ['202', (_, response) => response.writeHead(202).end(), 'bad_answer'],
  ['204', (_, response) => response.writeHead(204).end(), 'bad_answer'],
  ['an empty stream', (_, response) => response.writeHead(200, stream).end(), 'bad_answer'],
  [
    'a stream that ends without an answer',
    (_, response) =>
      response.writeHead(200, stream).end(`id: 1\nretry: 1\ndata:\n\n${event({ jsonrpc: '2.0', method: 'x' })}`),
    'bad_answer',
  ],
  [
    'a stream that breaks off',
    (request, response) => {
      response.writeHead(200, stream).write(event(result(GOOD)(idOf(request))).slice(0, 60));
      setTimeout(() => response.destroy(), 5);
    },
    'unavailable',
  ],
];

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe.each([MODERN, LEGACY])('of a write, in the $era era,', (mcp) => {
  it.each(REFUSED)('%s is a failure', async (_, answer, code, given) => {
    answerCalls(answer);
    expect(await write(mcp)).toEqual({ outcome: 'failed', error: { code, status: given } });
    expect(peer.methods.filter((each) => each === 'tools/call')).toHaveLength(1);
  });

  it.each(AMBIGUOUS)('%s is ambiguous, and nothing is sent again or resumed', async (_, answer, code) => {
    answerCalls(answer);
    expect(await write(mcp)).toMatchObject({ outcome: 'ambiguous', error: { code } });
    expect(peer.methods.filter((each) => !/^(initialize|notifications|DELETE)/.test(each))).toEqual(['tools/call']);
  });
});

describe('of a write,', () => {
  it('a result is a success, also where it misses its output schema, or is older than the protocol', async () => {
    answerCalls(said(result(GOOD)));
    expect(await write()).toEqual({
      outcome: 'succeeded',
      result: {
        output: { content: GOOD.content, structuredContent: { n: 1 }, isError: false },
        truncated: false,
      },
    });
    for (const structuredContent of [{ n: 'one' }, undefined]) {
      answerCalls(said(result({ content: [], structuredContent })));
      expect(await write()).toMatchObject({ outcome: 'succeeded', result: { output: { outputMismatch: true } } });
    }
  });

  it('an answer in a stream that goes on is taken at once', async () => {
    answerCalls((request, response) => {
      response.writeHead(200, stream);
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } }));
      response.write(event({ jsonrpc: '2.0', id: 5, method: 'sampling/createMessage', params: {} }));
      response.write(event(result(GOOD)(idOf(request))));
    });
    expect(await write()).toMatchObject({ outcome: 'succeeded' });
    expect(peer.methods).toEqual(['tools/call']);
  });

  it('what could not be sent was not executed', async () => {
    const net = peer.net();
    const gone = await adapter.open({ ...access(MODERN), endpoint: 'https://localhost:1/mcp' }, net);
    expect(await gone.write({ tool, arguments: {} }, signal)).toEqual({
      outcome: 'not_executed',
      error: { code: 'unavailable', status: null },
    });
  });

  it('one that is ended while it is on its way is ambiguous', async () => {
    const ending = new AbortController();
    answerCalls(() => ending.abort());
    const sent = await within(MODERN, (session) => session.write({ tool, arguments: {} }, ending.signal));
    expect(sent).toMatchObject({ outcome: 'ambiguous', error: { code: 'unavailable' } });
  });
});

describe('of a read,', () => {
  it.each([
    ...REFUSED.filter(([, , code]) => !['tool_error'].includes(code)),
    ...AMBIGUOUS.map(([name, answer, code]) => [name, answer, code, 0] as const),
  ])('%s fails with our word and no text of the server', async (_, answer, code) => {
    answerCalls(answer);
    const failure: unknown = await read().catch((reason: unknown) => (reason as { failure: unknown }).failure);
    const { reason, code: word } = failure as { reason?: string; code: string };
    // A read knows of no more exact word for it.
    const expected = code === 'input_required' ? 'provider_rejected' : code;
    expect(reason ?? (word === 'rejected' ? 'provider_rejected' : word)).toBe(expected);
    expect(JSON.stringify(failure)).not.toContain('CANARY');
  });

  it('a refusal for want of scope names the scopes, and one that asks to wait for how long', async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="orders:read orders:write", resource_metadata="x"';
    answerCalls(status(403, { 'www-authenticate': challenge }));
    await expect(read()).rejects.toMatchObject({
      failure: { code: 'scope_lost', requiredScopes: ['orders:read', 'orders:write'] },
    });
    answerCalls(status(429, { 'retry-after': '7' }));
    await expect(read()).rejects.toMatchObject({ failure: { code: 'rate_limited', retryAfterSeconds: 7 } });
  });

  it('a tool’s own error is an output', async () => {
    answerCalls(said(result({ ...GOOD, isError: true })));
    expect(await read()).toMatchObject({ output: { isError: true, structuredContent: { n: 1 } } });
  });

  it('output is what can be kept and shown: bounded, without data of media, exact', async () => {
    const content = [
      { type: 'text', text: 'a'.repeat(40_000) },
      { type: 'text', text: 'nul \0 and \uD800', annotations: { audience: ['user'] } },
      { type: 'image', mimeType: 'image/png', data: Buffer.from('12345').toString('base64') },
      { type: 'resource', resource: { uri: 'file:///x', mimeType: 'text/plain', text: 'four' } },
      { type: 'resource_link', uri: 'https://x.example/', name: 'x', size: 3 },
      { type: 'novelty', secret: 1 },
    ];
    answerCalls((request, response) => {
      const text = JSON.stringify(result({ ...GOOD, content, structuredContent: { n: 'BIG' } })(idOf(request)));
      response.writeHead(200, json).end(text.replace('"BIG"', '12345678901234567890'));
    });
    expect(await read()).toEqual({
      output: {
        content: [
          { type: 'text', text: 'a'.repeat(32_768) },
          { type: 'text', text: 'nul \uFFFD and \uFFFD' },
          { type: 'image', mimeType: 'image/png', bytes: 5 },
          { type: 'resource', mimeType: 'text/plain', bytes: 4 },
          { type: 'resource_link', uri: 'https://x.example/', name: 'x' },
          { type: 'novelty' },
        ],
        structuredContent: { n: '12345678901234567890' },
        isError: false,
        outputMismatch: true,
      },
      truncated: true,
    });
  });
});

describe('a list', () => {
  const pages = (page: (cursor: string | undefined, count: number) => object): void => {
    let count = 0;
    peer.answering = (request, response) => {
      if (request.method !== 'tools/list') return false;
      const { id, params } = JSON.parse(request.body) as { id: unknown; params?: { cursor?: string } };
      count += 1;
      response.writeHead(200, json).end(JSON.stringify(result(page(params?.cursor, count))(id)));
      return true;
    };
  };
  const listed = () => within(MODERN, (session) => session.list());

  it.each<[string, (cursor: string | undefined, count: number) => object]>([
    ['has more than 20 pages', (_, count) => ({ tools: [], nextCursor: `page ${count}` })],
    ['repeats a cursor', (_, count) => ({ tools: [], nextCursor: String(count % 2) })],
    ['has more than 4 MiB', (_, count) => ({ tools: [{ name: 'x'.repeat(900_000) }], nextCursor: `page ${count}` })],
    ['has a page of more than 4 MiB', () => ({ tools: ['x'.repeat(4_200_000)] })],
    ['has no tools', () => ({})],
    ['has a cursor that is no text', () => ({ tools: [], nextCursor: 4 })],
  ])('that %s is a bad answer, after at most 20 requests', async (_, page) => {
    pages(page);
    await expect(listed()).rejects.toMatchObject({ failure: { code: 'bad_answer' } });
    expect(peer.requests.length).toBeLessThanOrEqual(20);
  });

  it('with a tool that is nested deeply is read all the same', async () => {
    let inputSchema: object = {};
    for (let level = 0; level < 300; level += 1) inputSchema = { properties: { a: inputSchema } };
    pages(() => ({
      tools: [
        { name: 'deep', inputSchema },
        { name: 'plain', inputSchema: {} },
      ],
    }));
    const { tools, excluded } = await listed();
    expect([tools.map(({ name }) => name), excluded]).toEqual([['plain'], [{ name: 'deep', reason: 'too_deep' }]]);
  });

  it('keeps an empty cursor for a cursor', async () => {
    pages((cursor) =>
      cursor === undefined ? { tools: [{ name: 'a', inputSchema: {} }], nextCursor: '' } : { tools: [] },
    );
    expect((await listed()).tools.map(({ name }) => name)).toEqual(['a']);
    expect(peer.requests).toHaveLength(2);
  });
});
