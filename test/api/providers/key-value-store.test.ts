import { beforeEach, describe, expect, it } from '@jest/globals';
import { ALL, KEY, PREFIX, useKeyValueStore, wordOf } from '../../support/connectors/key-value-store.ts';
import { KeyValuePeer } from '../../support/peers/key-value-peer.ts';

const store = useKeyValueStore();
const { app, at, caller, connect, disconnected, epoch, place, projection, save } = store;

describe('a credential: 200', () => {
  beforeEach(disconnected);

  it('is that of a token that only reads, of a store known by its address', async () => {
    const upper = store.peer.origin.replace('https://eu1', 'https://EU1');
    const { status, body } = await connect({ url: `${upper}/` });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      enabled: true,
      readiness: 'needs_settings',
      accessMode: 'read_only',
      credentialMetadata: { kind: 'rest_token', details: { host: new URL(store.peer.origin).host } },
      health: { observations: [{ scope: 'credential', status: 'verified' }] },
    });
    expect(body.data.tools).toHaveLength(30);
    expect(
      body.data.tools.every((tool: { selected: boolean; access: string }) => tool.selected && tool.access === 'read'),
    );
    expect(store.peer.requests).toHaveLength(1);
    expect(await store.peer.redis.dbsize()).toBe('0');
  });

  it('may reach less than all keys', async () => {
    expect((await connect({ token: await store.peer.token(['~app:*', '+@read', '-@dangerous']) })).status).toBe(200);
  });
});

describe('a credential: 400', () => {
  beforeEach(disconnected);

  it.each<[string, readonly string[]]>([
    ['everything', ['~*', '+@all']],
    ['keys of a pattern', ['~app:*', '+@all']],
    ['keys of another pattern', ['~other:*', '+@all']],
    ['all but the command that is tried first', ['~*', '+@all', '-setrange']],
    ['reading, and one command that writes', ['~*', '+@read', '+set']],
    ['reading, and to delete', ['~*', '+@read', '+del']],
    ['reading everything, and writing some keys', ['~*', '+@read', '-@dangerous', '(~app:* +@write)']],
  ])('refuses a token that may do %s, and leaves the store as it is', async (_, rules) => {
    await store.peer.redis.set('app:one', '1');
    const answer = await connect({ token: await store.peer.token(rules) });
    expect(wordOf(answer)).toEqual([400, 'token', 'provider_rejected']);
    expect(answer.body.error.issues[0].message).toContain('only reads');
    expect(await projection()).toMatchObject({ readiness: 'needs_credentials', credentialMetadata: null });
    expect([await store.peer.redis.dbsize(), await store.peer.redis.get('app:one')]).toEqual(['1', '1']);
  });

  it('refuses a token that the store does not know, or that reads nothing', async () => {
    expect(wordOf(await connect({ token: 'nobody' }))).toEqual([400, 'token', 'provider_rejected']);
    const mute = await store.peer.token(['~*', '+@read', '-exists']);
    expect(wordOf(await connect({ token: mute }))).toEqual([400, 'token', 'provider_rejected']);
  });

  it.each(['https://eu1-still-fox-12345.upstash.io/get', 'https://a.upstash.io.evil.example'])(
    'refuses the address %s without a connection',
    async (url) => {
      const before = store.outside.sockets.length;
      expect(wordOf(await connect({ url }))).toEqual([400, 'url', 'invalid_uri']);
      expect(store.outside.attempts.slice(before).filter((attempt) => attempt.startsWith('93.'))).toEqual([]);
    },
  );

  it('refuses a token that no header can carry', async () => {
    expect(wordOf(await connect({ token: 'a b\u00e9' }))).toEqual([400, 'token', 'invalid_text']);
  });
});

describe('a credential: 503', () => {
  beforeEach(disconnected);

  it('of a store that does not answer as it should, and nothing is stored', async () => {
    store.peer.answering = (_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('bad gateway');
      return true;
    };
    const { status, body } = await connect();
    expect([status, body.error.code]).toEqual([503, 'provider_unavailable']);
    expect(await projection()).toMatchObject({ credentialMetadata: null });
  });
});

describe('settings: 200', () => {
  beforeEach(disconnected);

  it('are proven inside their prefix, and make the connector ready', async () => {
    await connect();
    const before = await epoch();
    const { status, body } = await save(PREFIX);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ readiness: 'ready', settings: PREFIX, revisions: { settings: 1 } });
    expect(await epoch()).toBe(before + 1);
    const [{ commands }] = store.peer.requests.slice(-1) as [(typeof store.peer.requests)[0]];
    expect(commands.every(([, key]) => key!.startsWith('app:'))).toBe(true);
    const { rows } = await app.db.query('select verified_resources as resources from integration where id = $1', [
      body.data.id,
    ]);
    expect(rows[0].resources).toEqual([
      {
        accountId: store.peer.origin,
        resourceId: 'database',
        name: new URL(store.peer.origin).host,
        environment: 'live',
      },
    ]);
  });

  it('of another scope put no tool in quarantine, and keep what reports read inside', async () => {
    const keys = [
      { key: 'app:visits', type: 'numeric', label: 'Visits' },
      { key: 'other', type: 'collection' },
    ];
    const { tools } = await caller(ALL);
    const hashes = (await tools()).map(({ definitionHash }) => definitionHash);
    const before = await epoch();
    const reporting = await save({ ...ALL, reporting: { keys } }, ALL);
    expect([reporting.status, await epoch()]).toEqual([200, before]);
    const { body } = await save({ ...PREFIX, reporting: { keys } });
    expect(body.data.settings).toEqual({ ...PREFIX, reporting: { keys: [keys[0]] } });
    expect(body.data.tools.filter(({ quarantined }: { quarantined: boolean }) => quarantined)).toEqual([]);
    expect(await epoch()).toBe(before + 1);
    expect(body.data.tools.map(({ definitionHash }: { definitionHash: string }) => definitionHash)).toEqual(hashes);
    // Choices for reports outlive another token of the same store, which the new one holds too.
    const again = await connect({ token: await store.peer.token() });
    expect(again.body.data).toMatchObject({ readiness: 'ready', settings: body.data.settings });
  });

  it('go with another store', async () => {
    await connect();
    await save(PREFIX);
    const other = await KeyValuePeer.start(store.outside, 'us1-calm-owl-9.upstash.io');
    try {
      const { body } = await connect({ url: other.origin, token: await other.token() });
      expect(body.data).toMatchObject({ settings: null, readiness: 'needs_settings' });
    } finally {
      await other.stop();
    }
  });
});

describe('settings: 400', () => {
  beforeEach(disconnected);

  it.each<[string, object, string, string]>([
    ['no scope', { kind: KEY }, 'settings.scope', 'required'],
    ['an unknown scope', { kind: KEY, scope: { mode: 'some' } }, 'settings.scope.mode', 'unknown_value'],
    ['a prefix that is missing', { kind: KEY, scope: { mode: 'prefix' } }, 'settings.scope.prefix', 'required'],
    [
      'an empty prefix',
      { kind: KEY, scope: { mode: 'prefix', prefix: '' } },
      'settings.scope.prefix',
      'invalid_length',
    ],
    ['a prefix of all', { kind: KEY, scope: { mode: 'all', prefix: 'a' } }, 'settings.scope.prefix', 'not_of_kind'],
    [
      'a prefix of 513 bytes',
      { kind: KEY, scope: { mode: 'prefix', prefix: `${'é'.repeat(256)}a` } },
      'settings.scope.prefix',
      'invalid_length',
    ],
    ['another field', { ...ALL, url: 'https://a' }, 'settings.url', 'unknown_property'],
    [
      'a reporting key outside',
      { ...PREFIX, reporting: { keys: [{ key: 'other', type: 'numeric' }] } },
      'settings.reporting.keys.0.key',
      'unknown_reference',
    ],
    [
      'a reporting key twice',
      { ...ALL, reporting: { keys: [1, 2].map(() => ({ key: 'a', type: 'numeric' })) } },
      'settings.reporting.keys.1.key',
      'duplicate_item',
    ],
    [
      '101 reporting keys',
      { ...ALL, reporting: { keys: Array.from({ length: 101 }, (_, each) => ({ key: `${each}`, type: 'numeric' })) } },
      'settings.reporting.keys',
      'invalid_length',
    ],
  ])('refuses %s', async (_, settings, path, code) => {
    await connect();
    const { length } = store.peer.requests;
    expect(wordOf(await save(settings))).toEqual([400, path, code]);
    expect(store.peer.requests).toHaveLength(length);
  });

  it('refuses the settings of a token that writes by now', async () => {
    await connect();
    await store.peer.redis.call('ACL', 'SETUSER', 'user1', '+@all');
    try {
      expect(wordOf(await save(PREFIX))).toEqual([400, 'settings', 'provider_rejected']);
      // A check says it too.
      const { body } = await place.owner.post(at('/check'));
      expect(body.data.health.observations).toMatchObject([
        { scope: 'credential', status: 'failed', code: 'rejected' },
      ]);
    } finally {
      await store.peer.redis.call('ACL', 'SETUSER', 'user1', 'resetkeys', '~*', '-@all', '+@read', '-@dangerous');
    }
  });
});

describe('a check: 200', () => {
  it('asks once, and says what it saw', async () => {
    await caller();
    const { status, body } = await place.owner.post(at('/check'));
    expect([status, body.data.readiness]).toEqual([200, 'ready']);
    expect(store.peer.requests).toHaveLength(1);
    store.peer.answering = (_, response) => {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"WRONGPASS CANARY-text"}');
      return true;
    };
    const failed = await place.owner.post(at('/check'));
    expect(failed.body.data).toMatchObject({
      readiness: 'degraded',
      health: { observations: [{ scope: 'credential', status: 'failed', code: 'credential_refused' }] },
    });
    expect(failed.text).not.toContain('CANARY');
  });
});

describe('discovery: 200', () => {
  it('is of the release, and asks nobody', async () => {
    await caller();
    const { status, body } = await place.owner.post(at('/discover'));
    expect(status).toBe(200);
    expect(body.data.tools).toHaveLength(30);
    expect(store.peer.requests).toEqual([]);
  });
});
