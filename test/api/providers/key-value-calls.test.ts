import { beforeAll, describe, expect, it } from '@jest/globals';
import { ProviderAdapters, ProviderFailure } from '../../../src/modules/integrations/index.ts';
import { capabilityOf } from '../../support/connectors/connected-servers.ts';
import { KEY, useKeyValueStore, wordOf } from '../../support/connectors/key-value-store.ts';

const store = useKeyValueStore();
const { app, at, caller, disconnected, place } = store;

/** As a run of `growth` calls tools, once it is connected. */
let call: Call['call'];
type Call = Awaited<ReturnType<typeof caller>>;
const connected = async () => {
  await disconnected();
  ({ call } = await caller());
};

describe('the tools of a run: 200', () => {
  it('shows agents the scope in the schemas', async () => {
    const { tools } = await caller({ kind: KEY, scope: { mode: 'prefix', prefix: 'a.b/*' } });
    const byName = new Map((await tools()).map((tool) => [tool.name, tool.inputSchema.properties]));
    const pattern = byName.get('upstash_get')!.key!.pattern!;
    expect(byName.get('upstash_mget')!.keys!.items!.pattern).toBe(pattern);
    expect(['a.b/*1', 'a.b/', 'axb/*1'].map((key) => new RegExp(pattern, 'u').test(key))).toEqual([true, false, false]);
  });
});

describe('a call: 200', () => {
  beforeAll(connected);

  it('reads what real Redis holds, by every tool but those of JSON', async () => {
    const { redis } = store.peer;
    await redis.mset('app:s', 'Grüße', 'app:n', '9007199254740993', 'app:ok', 'OK', 'app:empty', '');
    await redis.set('app:bin', Buffer.from([0xff, 0xfe, 0x00]));
    await redis.hset('app:h', { a: '1', '': 'empty' });
    await redis.rpush('app:l', 'x', 'y', 'z');
    await redis.sadd('app:set', 'm');
    await redis.zadd('app:z', 1, 'one', 2.5, 'two');
    await redis.xadd('app:x', '1-1', 'field', 'value');
    await redis.pexpire('app:l', 1_000_000);
    const outputs: [string, object, unknown][] = [
      ['get', { key: 'app:s' }, { value: 'Grüße' }],
      ['get', { key: 'app:n' }, { value: '9007199254740993' }],
      ['get', { key: 'app:ok' }, { value: 'OK' }],
      ['get', { key: 'app:empty' }, { value: '' }],
      ['get', { key: 'app:none' }, { value: null }],
      ['get', { key: 'app:bin' }, { value: { binary: true, bytes: 3 } }],
      [
        'mget',
        { keys: ['app:s', 'app:h'] },
        {
          values: [
            { key: 'app:s', value: 'Grüße' },
            { key: 'app:h', value: null },
          ],
        },
      ],
      [
        'exists',
        { keys: ['app:s', 'app:none'] },
        {
          keys: [
            { key: 'app:s', exists: true },
            { key: 'app:none', exists: false },
          ],
        },
      ],
      ['type', { key: 'app:h' }, { type: 'hash' }],
      ['ttl', { key: 'app:s' }, { milliseconds: -1 }],
      ['ttl', { key: 'app:none' }, { milliseconds: -2 }],
      ['strlen', { key: 'app:s' }, { bytes: 7 }],
      ['getrange', { key: 'app:s', start: 0, end: 1 }, { value: 'Gr' }],
      ['getrange', { key: 'app:s', start: 0, end: 2 }, { value: { binary: true, bytes: 3 } }],
      ['hget', { key: 'app:h', field: '' }, { value: 'empty' }],
      [
        'hmget',
        { key: 'app:h', fields: ['a', 'b'] },
        {
          fields: [
            { field: 'a', value: '1' },
            { field: 'b', value: null },
          ],
        },
      ],
      ['hlen', { key: 'app:h' }, { count: 2 }],
      ['hscan', { key: 'app:h', match: 'a*' }, { cursor: '0', fields: [{ field: 'a', value: '1' }] }],
      ['lindex', { key: 'app:l', index: -1 }, { value: 'z' }],
      ['llen', { key: 'app:l' }, { count: 3 }],
      ['lrange', { key: 'app:l', start: -2, stop: -1 }, { values: ['y', 'z'] }],
      ['scard', { key: 'app:set' }, { count: 1 }],
      ['sismember', { key: 'app:set', member: 'm' }, { isMember: true }],
      ['sscan', { key: 'app:set' }, { cursor: '0', members: ['m'] }],
      ['zcard', { key: 'app:z' }, { count: 2 }],
      ['zscore', { key: 'app:z', member: 'two' }, { score: '2.5' }],
      ['zscore', { key: 'app:z', member: 'none' }, { score: null }],
      ['zrank', { key: 'app:z', member: 'two' }, { rank: 1 }],
      ['zrank', { key: 'app:z', member: 'none' }, { rank: null }],
      ['zcount', { key: 'app:z', min: '(1', max: '+inf' }, { count: 1 }],
      ['zrange', { key: 'app:z', start: 0, stop: 9, rev: true }, { members: [{ member: 'two' }, { member: 'one' }] }],
      ['zrange', { key: 'app:z', start: 0, stop: 0, withScores: true }, { members: [{ member: 'one', score: '1' }] }],
      [
        'zrangebyscore',
        { key: 'app:z', min: 2, max: 1e3, withScores: true },
        { members: [{ member: 'two', score: '2.5' }] },
      ],
      [
        'zrangebyscore',
        { key: 'app:z', min: '-inf', max: '+inf', offset: 1, limit: 1 },
        { members: [{ member: 'two' }] },
      ],
      [
        'zscan',
        { key: 'app:z' },
        {
          cursor: '0',
          members: [
            { member: 'one', score: '1' },
            { member: 'two', score: '2.5' },
          ],
        },
      ],
      ['xlen', { key: 'app:x' }, { count: 1 }],
      ['xrange', { key: 'app:x' }, { entries: [{ id: '1-1', fields: [{ field: 'field', value: 'value' }] }] }],
      ['collection_count', { key: 'app:l' }, { type: 'list', count: 3 }],
      ['collection_count', { key: 'app:x' }, { type: 'stream', count: 1 }],
      ['collection_count', { key: 'app:s' }, { type: 'string', count: null }],
      ['collection_count', { key: 'app:none' }, { type: 'none', count: null }],
    ];
    for (const [tool, args, expected] of outputs) {
      const { status, body } = await call(tool, args);
      expect([tool, status, body.data.output?.structuredContent ?? body]).toEqual([tool, 200, expected]);
    }
    const ttl = (await call('ttl', { key: 'app:l' })).body.data.output.structuredContent.milliseconds;
    expect(ttl).toBeGreaterThan(900_000);
    expect((await call('get', { key: 'app:s' })).body.data.output).toMatchObject({
      content: [{ type: 'text', text: '{"value":"Grüße"}' }],
      isError: false,
    });
  });

  it('costs one request, and one more where the first tells what to count', async () => {
    await store.peer.redis.rpush('app:l', 'x');
    await call('exists', { keys: ['app:a', 'app:b'] });
    expect(store.peer.requests.map(({ path }) => path)).toEqual(['/pipeline']);
    await call('get', { key: 'app:a' });
    await call('collection_count', { key: 'app:l' });
    expect(store.peer.requests.map(({ path }) => path)).toEqual(['/pipeline', '/', '/', '/']);
  });

  it('answers each read of a batch by itself, in two requests at most', async () => {
    await store.peer.redis.set('app:s', 'one');
    await store.peer.redis.rpush('app:l', 'x', 'y');
    const reads = [
      { tool: 'upstash_collection_count', arguments: { key: 'app:l' } },
      { tool: 'upstash_get', arguments: { key: 'app:l' } },
      { tool: 'upstash_exists', arguments: { keys: ['app:s', 'app:none'] } },
      { tool: 'upstash_get', arguments: { key: 'app:s' } },
    ];
    const { status, body } = await call('batch', { reads });
    expect(status).toBe(200);
    expect(body.data.output.structuredContent).toEqual({
      results: [
        { tool: 'upstash_collection_count', status: 'succeeded', output: { type: 'list', count: 2 } },
        { tool: 'upstash_get', status: 'failed', error: { code: 'provider_rejected' } },
        {
          tool: 'upstash_exists',
          status: 'succeeded',
          output: {
            keys: [
              { key: 'app:s', exists: true },
              { key: 'app:none', exists: false },
            ],
          },
        },
        { tool: 'upstash_get', status: 'succeeded', output: { value: 'one' } },
      ],
    });
    expect(store.peer.requests.map(({ path }) => path)).toEqual(['/pipeline', '/']);
  });

  it('keeps integers exact that a double cannot hold', async () => {
    store.peer.answering = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":9223372036854775807}');
      return true;
    };
    const { body } = await call('llen', { key: 'app:l' });
    expect(body.data.output.structuredContent).toEqual({ count: '9223372036854775807' });
  });

  it.each<[string, number, object, string]>([
    ['a string where a number is due', 200, { result: 'b25l' }, 'bad_answer'],
    ['what is no base64', 200, { result: 'ö' }, 'bad_answer'],
    ['result and error', 200, { result: 1, error: 'ERR CANARY-text' }, 'bad_answer'],
    ['neither', 200, {}, 'bad_answer'],
    ['a list', 200, [{ result: 1 }], 'bad_answer'],
    ['another type', 400, { error: 'WRONGTYPE CANARY-text' }, 'provider_rejected'],
    ['a syntax error', 400, { error: 'ERR CANARY-text' }, 'provider_rejected'],
    ['a token it does not know', 401, { error: 'WRONGPASS CANARY-text' }, 'credential_refused'],
    ['a command it does not permit', 400, { error: 'NOPERM CANARY-text' }, 'scope_lost'],
    ['a limit', 400, { error: 'ERR max daily request limit exceeded CANARY-text' }, 'rate_limited'],
  ])('fails as a whole where the store answers %s', async (_, status, answer, code) => {
    store.peer.answering = (__, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return true;
    };
    const { status: ours, text, body } = await call('llen', { key: 'app:l' });
    expect([ours, body.data.status, body.data.error.code]).toEqual([200, 'failed', code]);
    expect(text).not.toContain('CANARY');
  });

  it.each<[string, string, object, unknown]>([
    ['more rows than a range has', 'lrange', { start: 0, stop: 1 }, ['YQ==', 'YQ==', 'YQ==']],
    ['more members than were asked for', 'zrangebyscore', { min: 0, max: 9, limit: 1 }, ['YQ==', 'YQ==']],
    [
      'more entries than were asked for',
      'xrange',
      { count: 1 },
      [
        ['MS0x', []],
        ['MS0y', []],
      ],
    ],
    ['a length below nothing', 'strlen', {}, -5],
    ['a count below nothing', 'scard', {}, -1],
    ['neither yes nor no', 'sismember', { member: 'a' }, 7],
    ['a word that somebody wrote', 'type', {}, Buffer.from('CANARY text of a value').toString('base64')],
  ])('fails as a whole where an answer has %s', async (_, tool, args, result) => {
    store.peer.answering = (__, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result }));
      return true;
    };
    const { text, body } = await call(tool, { key: 'app:a', ...args });
    expect([body.data.status, body.data.error.code]).toEqual(['failed', 'bad_answer']);
    expect(text).not.toContain('CANARY');
  });

  it.each<[string, number, string, string]>([
    ['a page', 400, '<p>CANARY-text</p>', 'provider_rejected'],
    ['another form', 400, '{"message":"CANARY-text"}', 'provider_rejected'],
    ['a result beside its status', 400, '{"result":"Zm9v"}', 'provider_rejected'],
  ])('takes a refusal with %s for what its status says', async (_, status, text, code) => {
    store.peer.answering = (__, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      return true;
    };
    const { body } = await call('get', { key: 'app:a' });
    expect([body.data.status, body.data.error.code]).toEqual(['failed', code]);
  });

  it('fails where a list has another number of values than keys', async () => {
    store.peer.answering = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":["YQ==","YQ==","YQ=="]}');
      return true;
    };
    expect((await call('mget', { keys: ['app:a'] })).body.data.error.code).toBe('bad_answer');
  });

  it('fails where a pipeline has another number of answers', async () => {
    store.peer.answering = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('[{"result":1}]');
      return true;
    };
    expect((await call('exists', { keys: ['app:a', 'app:b'] })).body.data.error.code).toBe('bad_answer');
  });

  it('says that a string was cut, and that an answer is too large', async () => {
    await store.peer.redis.set('app:long', 'a'.repeat(50_000));
    const cut = await call('get', { key: 'app:long' });
    expect([cut.body.data.truncated, cut.body.data.output.structuredContent.value.length]).toEqual([true, 32_768]);
    const whole = await call('getrange', { key: 'app:long', start: 0, end: 65_535 });
    expect([whole.body.data.truncated, whole.body.data.output.structuredContent.value.length]).toEqual([false, 50_000]);
    const inBatch = await call('batch', {
      reads: [{ tool: 'upstash_getrange', arguments: { key: 'app:long', start: 0, end: 65_535 } }],
    });
    const [first] = inBatch.body.data.output.structuredContent.results;
    expect([inBatch.body.data.truncated, first.output.value.length]).toEqual([false, 50_000]);
    await store.peer.redis.set('app:long', 'a'.repeat(800_000));
    expect((await call('get', { key: 'app:long' })).body.data.error.code).toBe('result_too_large');
  });
});

describe('a call: 400', () => {
  beforeAll(connected);

  it.each<[string, object, string, string]>([
    ['get', { key: 'other' }, 'arguments.key', 'not_permitted'],
    ['exists', { keys: ['app:a', 'app:b', 'other'] }, 'arguments.keys.2', 'not_permitted'],
    ['lrange', { key: 'app:a', start: 0, stop: 100 }, 'arguments.stop', 'out_of_range'],
    ['get', { key: 'app:a', other: 1 }, 'arguments.other', 'unknown_property'],
  ])('%s %j is refused before anything is sent', async (tool, args, path, code) => {
    expect(wordOf(await call(tool, args))).toEqual([400, path, code]);
    expect(store.peer.requests).toEqual([]);
  });

  it('lets a batch carry out only what may be called', async () => {
    await place.owner.put(at('/tools'), { accessMode: 'read_only', tools: ['upstash_batch', 'upstash_get'] });
    const { agent } = await place.run();
    const { caller: client, pathTo } = await capabilityOf(place, agent, { id: '', key: KEY });
    const batch = (tool: string) =>
      client.post(pathTo('/tools/upstash_batch/call'), {
        arguments: { reads: [{ tool, arguments: { key: 'app:a' } }] },
      });
    expect((await batch('upstash_get')).status).toBe(200);
    expect(wordOf(await batch('upstash_type'))).toEqual([400, 'arguments.reads.0.tool', 'unknown_reference']);
    expect((await call('get', { key: 'app:a' })).status).toBe(409);
    await place.owner.put(at('/tools'), { accessMode: 'read_only' });
  });
});

describe('reads for reports', () => {
  const DAY = {
    from: '2026-11-29',
    to: '2026-12-01',
    timezone: 'Europe/Berlin',
    grain: 'day',
    checkpoint: null,
  } as const;
  const ask = (keys: readonly object[]) =>
    app.app
      .get(ProviderAdapters)
      .of(KEY)!
      .reports![0]!.next(
        {
          settings: { scope: { mode: 'all' }, reporting: { keys } },
          resource: { accountId: store.peer.origin, resourceId: 'database', name: '', environment: 'live' },
          ...DAY,
        },
        { endpoint: null, secret: { kind: 'rest_token', url: store.peer.origin, token: store.token }, mcp: null },
        store.outside.net([store.peer.origin]),
      );

  it('tell figures exactly, and gaps from zeros, in two requests', async () => {
    const { redis } = store.peer;
    await redis.mset('zero', '0', 'exact', '-12345678901234567890.10', 'padded', ' 1', 'exponent', '1e3', 'empty', '');
    await redis.mset('long', '1'.repeat(100), 'leading', '01');
    await redis.rpush('list', 'a', 'b');
    await redis.sadd('set', 'a');
    await redis.hset('hash', 'a', '1');
    const keys = [
      ...['zero', 'exact', 'padded', 'exponent', 'empty', 'long', 'leading', 'none', 'list'].map((key) => ({
        key,
        type: 'numeric',
      })),
      ...['list', 'set', 'hash', 'none', 'zero'].map((key) => ({ key, type: 'collection' })),
    ];
    const { items, checkpoint } = await ask(keys);
    expect(checkpoint).toBeNull();
    expect(
      items.map(({ key, entries: [entry] }) => [
        key,
        entry!.measure,
        entry!.period,
        entry!.cut,
        entry!.value ?? entry!.reason,
      ]),
    ).toEqual([
      ...[
        ['zero', '0'],
        ['exact', '-12345678901234567890.10'],
        ['padded', 'non_numeric'],
        ['exponent', 'non_numeric'],
        ['empty', 'non_numeric'],
        ['long', 'non_numeric'],
        ['leading', 'non_numeric'],
        ['none', 'missing_value'],
        ['list', 'non_numeric'],
      ].map(([key, value]) => [key, 'value', '2026-11-30', key, value]),
      ...[
        ['list', '2'],
        ['set', '1'],
        ['hash', '1'],
        ['none', 'missing_value'],
        ['zero', 'unsupported_capability'],
      ].map(([key, value]) => [key, 'size', '2026-11-30', key, value]),
    ]);
    expect(store.peer.requests).toHaveLength(2);
  });

  it('fail as a whole where the token is refused', async () => {
    await store.peer.redis.set('a', '1');
    store.peer.answering = (_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"WRONGPASS"}');
      return true;
    };
    await expect(ask([{ key: 'a', type: 'numeric' }])).rejects.toThrow(ProviderFailure);
  });
});
