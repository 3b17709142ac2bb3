import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Long, ObjectId } from 'mongodb';
import { ProviderAdapters } from '../../../src/modules/integrations/index.ts';
import type { DocumentDatabases } from '../../../src/modules/providers/document-db/index.ts';
import type { Client } from '../../support/client.ts';
import { capabilityOf, presentEpoch } from '../../support/connectors/connected-servers.ts';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { DocumentDbPeer, READ_ACTIONS } from '../../support/peers/document-db/document-db-peer.ts';
import { Outside } from '../../support/peers/outside.ts';
import { TestApp } from '../../support/test-app.ts';

const KEY = 'document-db';
const USER = { username: 'app user,=@x', password: 'CANARY-p@ss:/?#%w!' };
const BIG = '9007199254740993';
const app = new TestApp();
let outside: Outside;
let peer: DocumentDbPeer;
let place: Workplace;
let at: string;
let ids: readonly ObjectId[];

beforeAll(async () => {
  outside = await Outside.start();
  peer = await DocumentDbPeer.start(outside);
  await app.open();
  outside.surround(app);
  place = await Workplace.open(app);
  at = place.path(`/integrations/${KEY}`);
  const grants = { profileGrants: ['growth'], readOnlyProfileKeys: [] };
  expect((await place.owner.put(`${at}/profiles`, grants)).status).toBe(200);
});
beforeEach(async () => {
  peer.reset();
  await adapter().close();
  peer.users.set(USER.username, { password: USER.password, actions: READ_ACTIONS });
  ids = Array.from({ length: 3 }, () => new ObjectId());
  const day = (text: string) => new Date(`2026-03-${text}T12:00:00Z`);
  peer.collections.set('orders', {
    documents: [
      {
        _id: ids[0],
        total: 5,
        state: 'paid',
        placedAt: day('01'),
        secret: 'hidden',
        customer: { id: 1, mail: 'hidden' },
      },
      {
        _id: ids[1],
        total: 7,
        state: 'open',
        placedAt: day('01'),
        big: Long.fromString(BIG),
        lines: [{ sku: 'a', cost: 1 }],
      },
      { _id: ids[2], total: 9, state: 'paid', placedAt: day('03'), note: null },
    ],
    indexes: [
      { name: '_id_', key: { _id: 1 } },
      { name: 'total_1', key: { total: 1 } },
      { name: 'placedAt_-1', key: { placedAt: -1 } },
      { name: 'secret_1', key: { secret: 1 } },
    ],
  });
  peer.collections.set('lists', {
    documents: [{ _id: ids[0], dates: [day('01'), day('02')], at: day('01') }],
    indexes: [
      { name: '_id_', key: { _id: 1 } },
      { name: 'dates_1', key: { dates: 1 } },
      { name: 'at_part', key: { at: 1 }, partialFilterExpression: { at: { $gt: day('01') } } },
      { name: 'at_hidden', key: { at: 1 }, hidden: true },
      { name: 'at_hashed', key: { at: 'hashed' } },
      { name: 'second', key: { x: 1, at: 1 } },
    ],
  });
  peer.collections.set('view', { documents: [], indexes: [], type: 'view' });
  peer.collections.set('system.views', { documents: [], indexes: [] });
});
afterAll(async () => {
  expect(peer.faults).toEqual([]);
  await app.close();
  outside.stop();
});

/** Connections that were attempted to servers of databases. */
const led = () => outside.attempts.filter((attempt) => attempt.endsWith(':27017')).length;
const adapter = () => app.app.get(ProviderAdapters).of(KEY) as unknown as DocumentDatabases;
const FIELDS = ['_id', 'total', 'state', 'placedAt', 'big', 'customer.id', 'lines.sku'];
const SETTINGS = { kind: KEY, databaseName: 'shop', collections: [{ name: 'orders', fields: FIELDS }] };
const credential = (given: object = {}) => ({ kind: 'srv', clusterHost: peer.host, ...USER, ...given });
const connect = (given: object = {}) => place.owner.put(`${at}/credential`, credential(given));
const save = (settings: object, expectedSettings?: object) =>
  place.owner.put(`${at}/settings`, { settings, ...(expectedSettings ? { expectedSettings } : {}) });
const resources = (body: object) => place.owner.post(`${at}/document-db/resources`, body);
const projection = async () => (await place.owner.get(at)).body.data;
const epoch = () => presentEpoch(place);
type Answer = Awaited<ReturnType<Client['put']>>;
const wordOf = ({ status, body }: Answer) => [status, body.error.issues[0].path, body.error.issues[0].code];
const disconnected = async () => {
  await place.owner.delete(`${at}/credential`);
  await app.db.query('update integration set settings = null where key = $1 and organization_id = $2', [
    KEY,
    place.organizationId,
  ]);
};

/** As a run of `growth` calls tools of a connected connector. */
async function caller(settings: object = SETTINGS) {
  await connect();
  const saved = await save(settings);
  if (saved.status !== 200) throw new Error(saved.text);
  const { agent } = await place.run();
  const { caller: client, pathTo } = await capabilityOf(place, agent, { id: '', key: KEY });
  peer.forget();
  return {
    call: (tool: string, args: object) => client.post(pathTo(`/tools/${tool}/call`), { arguments: args }),
    tools: async () => (await client.get(pathTo('/tools'))).body.data.tools as Record<string, unknown>[],
  };
}
type Call = Awaited<ReturnType<typeof caller>>['call'];
const outputOf = ({ status, text, body }: Answer) => {
  expect([status, text]).toEqual([200, expect.stringContaining('succeeded')]);
  return body.data.output.structuredContent;
};
const failureOf = ({ status, body }: Answer) => [status, body.data.status, body.data.error.code];

describe('a credential: 200', () => {
  beforeEach(disconnected);

  it('is a user of a cluster, which is the account, and needs settings', async () => {
    const { status, body, text } = await connect({ clusterHost: peer.host.toUpperCase() });
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(body.data).toMatchObject({
      enabled: true,
      readiness: 'needs_settings',
      accessMode: 'read_only',
      credentialMetadata: {
        kind: 'srv',
        details: { clusterHost: peer.host, username: USER.username, writePrivileges: false },
      },
      health: { observations: [{ scope: 'credential', status: 'verified' }] },
    });
    expect(peer.commands.map((command) => Object.keys(command)[0])).toEqual(['ping', 'connectionStatus']);
    expect(peer.logins).toBe(1);
  });

  it('tells of a user who could write', async () => {
    peer.users.set(USER.username, { password: USER.password, actions: [...READ_ACTIONS, 'insert'] });
    const { body } = await connect();
    expect(body.data.credentialMetadata.details.writePrivileges).toBe(true);
  });
});

describe('a credential: 400', () => {
  beforeEach(disconnected);

  it.each([
    'shop.mongodb.net.evil.example',
    'mongodb+srv://shop.ab1cd.mongodb.net',
    'shop.ab1cd.mongodb.net:27017',
    'a.mongodb.net,b.mongodb.net',
    'mongodb.net',
    '10.0.0.1',
  ])('refuses the host %s without a question to anybody', async (clusterHost) => {
    const before = [led(), outside.names.asked.length];
    expect(wordOf(await connect({ clusterHost }))).toEqual([400, 'clusterHost', 'invalid_text']);
    expect([led(), outside.names.asked.length]).toEqual(before);
  });

  it('refuses a user whom the cluster does not know, and stores nothing', async () => {
    expect(wordOf(await connect({ password: 'another' }))).toEqual([400, 'password', 'provider_rejected']);
    expect(wordOf(await connect({ username: 'nobody' }))).toEqual([400, 'password', 'provider_rejected']);
    expect(await projection()).toMatchObject({ readiness: 'needs_credentials', credentialMetadata: null });
    expect(adapter().clients.size).toBe(0);
  });
});

describe('a credential: 503', () => {
  beforeEach(disconnected);

  it.each([
    ['a cluster that no name server knows', 'nobody.ab1cd.mongodb.net'],
    ['a cluster with a private address', 'inside.ab1cd.mongodb.net'],
  ])('of %s, within a moment', async (_, clusterHost) => {
    outside.names.service('_mongodb._tcp.inside.ab1cd.mongodb.net', { target: 'in.ab1cd.mongodb.net', port: 27_017 });
    outside.names.host('in.ab1cd.mongodb.net', ['10.0.0.7']);
    const { status, body } = await connect({ clusterHost });
    expect([status, body.error.code]).toEqual([503, 'provider_unavailable']);
    expect(outside.attempts.filter((attempt) => attempt.startsWith('10.'))).toEqual([]);
  });
});

describe('settings: 200', () => {
  beforeEach(disconnected);

  it('are collections that are there, and make the connector ready', async () => {
    await connect();
    const before = await epoch();
    const { status, body } = await save(SETTINGS);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ readiness: 'ready', settings: SETTINGS });
    expect(await epoch()).toBe(before + 1);
    const { rows } = await app.db.query(
      'select verified_resources as r from integration where organization_id = $1 and key = $2',
      [place.organizationId, KEY],
    );
    expect(rows[0].r).toEqual([
      { accountId: peer.host, resourceId: 'shop.orders', name: 'orders', environment: 'live' },
    ]);
    expect(peer.commands.map((command) => Object.keys(command)[0])).toEqual([
      'ping',
      'connectionStatus',
      'listCollections',
    ]);
    const { tools } = body.data;
    expect(
      tools.map(({ name, selected, quarantined }: Record<string, unknown>) => [name, selected, quarantined]),
    ).toEqual([
      ['list_collections', true, false],
      ['find_documents', true, false],
      ['count_documents', true, false],
    ]);
  });

  it('change no tool, and a choice for reports moves no epoch; a narrower scope takes it along', async () => {
    await connect();
    const { revisions } = (await save(SETTINGS)).body.data;
    const pins = (await projection()).tools.map(({ definitionHash }: { definitionHash: string }) => definitionHash);
    const before = await epoch();
    const reporting = { ...SETTINGS, reporting: { creationFields: { orders: 'placedAt' } } };
    expect((await save(reporting)).body.error.issues[0]).toMatchObject({ path: 'expectedSettings', code: 'required' });
    const { status, text, body } = await save(reporting, SETTINGS);
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(body.data).toMatchObject({ settings: reporting, revisions: { settings: revisions.settings } });
    expect(await epoch()).toBe(before);
    // The same user's new password keeps the choice.
    peer.users.set(USER.username, { password: 'CANARY-new', actions: READ_ACTIONS });
    const rotated = await connect({ password: 'CANARY-new' });
    expect(rotated.body.data).toMatchObject({ readiness: 'ready', settings: reporting });
    const narrower = { ...reporting, collections: [{ name: 'orders', fields: ['total'] }] };
    const saved = await save(narrower);
    expect(saved.body.data).toMatchObject({
      settings: { collections: narrower.collections },
      revisions: { settings: revisions.settings + 1 },
    });
    expect(saved.body.data.settings.reporting).toBeUndefined();
    expect(saved.body.data.tools.every(({ quarantined }: { quarantined: boolean }) => !quarantined)).toBe(true);
    expect(saved.body.data.tools.map(({ definitionHash }: { definitionHash: string }) => definitionHash)).toEqual(pins);
    expect(await epoch()).toBe(before + 2);
  });

  it('are cleared by another cluster', async () => {
    await connect();
    await save(SETTINGS);
    const other = await DocumentDbPeer.start(outside, 'other');
    other.users.set(USER.username, { password: USER.password, actions: READ_ACTIONS });
    const { status, body } = await connect({ clusterHost: other.host });
    expect([status, body.data.readiness, body.data.settings]).toEqual([200, 'needs_settings', null]);
  });
});

describe('settings: 400', () => {
  beforeEach(async () => {
    await disconnected();
    await connect();
  });

  it.each<[object, string, string]>([
    [{ databaseName: 'a/b' }, 'databaseName', 'invalid_text'],
    [{ databaseName: 'a$b' }, 'databaseName', 'invalid_text'],
    [{ databaseName: 'x'.repeat(64) }, 'databaseName', 'invalid_text'],
    [{ collections: [] }, 'collections', 'invalid_length'],
    [
      { collections: Array.from({ length: 51 }, (_, index) => ({ name: `c${index}`, fields: ['a'] })) },
      'collections',
      'invalid_length',
    ],
    [{ collections: [{ name: 'orders', fields: [] }] }, 'collections.0.fields', 'invalid_length'],
    [{ collections: [{ name: 'orders', fields: ['*'], all: true }] }, 'collections.0.all', 'unknown_property'],
    [{ collections: [{ name: 'orders', fields: ['a', 'a'] }] }, 'collections.0.fields', 'duplicate_item'],
    [{ collections: [{ name: 'orders', fields: ['$where'] }] }, 'collections.0.fields.0', 'invalid_text'],
    [{ collections: [{ name: 'orders', fields: ['a..b'] }] }, 'collections.0.fields.0', 'invalid_text'],
    [{ collections: [{ name: 'orders', fields: ['a.__proto__'] }] }, 'collections.0.fields.0', 'invalid_text'],
    [{ collections: [{ name: 'orders', fields: ['a.b.c.d.e.f.g'] }] }, 'collections.0.fields.0', 'invalid_text'],
    [{ collections: [{ name: 'system.views', fields: ['a'] }] }, 'collections.0.name', 'invalid_text'],
    [{ collections: [{ name: 'or$ers', fields: ['a'] }] }, 'collections.0.name', 'invalid_text'],
    [{ collections: [SETTINGS.collections[0], SETTINGS.collections[0]] }, 'collections.1.name', 'duplicate_item'],
    [{ collections: [{ name: 'gone', fields: ['a'] }] }, 'collections.0.name', 'provider_rejected'],
    [{ collections: [{ name: 'view', fields: ['a'] }] }, 'collections.0.name', 'provider_rejected'],
    [{ reporting: { creationFields: { other: 'at' } } }, 'reporting.creationFields.other', 'unknown_reference'],
    [{ reporting: { creationFields: { orders: 'at' } } }, 'reporting.creationFields.orders', 'unknown_reference'],
    [{ reporting: { creationFields: { orders: 'state' } } }, 'reporting.creationFields.orders', 'needs_index'],
    ...['dates', 'at'].map((field): [object, string, string] => [
      { collections: [{ name: 'lists', fields: [field] }], reporting: { creationFields: { lists: field } } },
      'reporting.creationFields.lists',
      'needs_index',
    ]),
  ])('refuses %j', async (given, path, code) => {
    expect(wordOf(await save({ ...SETTINGS, ...given }))).toEqual([400, `settings.${path}`, code]);
    expect((await projection()).settings).toBeNull();
  });
});

describe('a check', () => {
  it('looks for the credential and each collection', async () => {
    await disconnected();
    await connect();
    const settings = { ...SETTINGS, collections: [...SETTINGS.collections, { name: 'lists', fields: ['at'] }] };
    await save(settings);
    peer.collections.delete('lists');
    const { body } = await place.owner.post(`${at}/check`);
    expect(body.data.health.observations).toMatchObject([
      { scope: 'credential', status: 'verified' },
      { scope: 'resource:shop.lists', status: 'failed', code: 'resource_missing' },
      { scope: 'resource:shop.orders', status: 'verified' },
    ]);
    peer.users.clear();
    await adapter().close();
    const refused = await place.owner.post(`${at}/check`);
    expect(refused.body.data.health.observations).toContainEqual(
      expect.objectContaining({ scope: 'credential', status: 'failed', code: 'credential_refused' }),
    );
  });
});

describe('resources: 200', () => {
  beforeEach(disconnected);

  it('names collections and fields, no values, with a user that is given, and changes nothing', async () => {
    const before = [await projection(), await epoch()];
    const { kind: _, ...connection } = credential();
    const { status, body, text } = await resources({ connection, databaseName: 'shop' });
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(body.data).toEqual({
      collections: [
        { name: 'lists', fields: ['_id', 'at', 'dates'], sampled: 1, truncated: false },
        {
          name: 'orders',
          fields: [
            '_id',
            'big',
            'customer',
            'customer.id',
            'customer.mail',
            'lines',
            'lines.cost',
            'lines.sku',
            'note',
            'placedAt',
            'secret',
            'state',
            'total',
          ],
          sampled: 3,
          truncated: false,
        },
      ],
      truncated: false,
    });
    expect(text).not.toMatch(/hidden|paid/);
    expect([await projection(), await epoch()]).toEqual(before);
    expect(peer.named('find')).toMatchObject([
      { find: 'lists', hint: '_id_', limit: 20, sort: { _id: 1 } },
      { find: 'orders', hint: '_id_', limit: 20, sort: { _id: 1 } },
    ]);
  });

  it('takes the stored user, and is bounded in collections, documents and names', async () => {
    await connect();
    for (let index = 0; index < 60; index += 1)
      peer.collections.set(`more-${String(index).padStart(2, '0')}`, { documents: [], indexes: [] });
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${index}`, index]));
    const deep = { a: { b: { c: { d: { e: { f: { g: 1 } } } } } }, 'x.y': 1, $z: 1 };
    const documents = [{ _id: 1, ...deep }, ...Array.from({ length: 30 }, (_, index) => ({ _id: index + 2, ...wide }))];
    peer.collections.set('a-wide', { documents, indexes: [{ name: '_id_', key: { _id: 1 } }] });
    const { body } = await resources({ databaseName: 'shop' });
    expect(body.data.truncated).toBe(true);
    expect(body.data.collections).toHaveLength(50);
    const [first, other] = body.data.collections;
    expect(first).toMatchObject({ name: 'a-wide', sampled: 20, truncated: true });
    expect(first.fields).toHaveLength(200);
    expect(first.fields).toContain('a.b.c.d.e.f');
    expect(first.fields.filter((field: string) => /g$|^x|\$/.test(field))).toEqual([]);
    // Without an index of ids there is no sample.
    expect(other).toMatchObject({ sampled: 1 });
    expect(body.data.collections.at(-1)).toMatchObject({ sampled: 0, fields: [] });
  });
});

describe('resources: 400 and 409', () => {
  beforeEach(disconnected);

  it('refuses a user, a host and a database that cannot be right', async () => {
    const { kind: _, ...connection } = credential();
    const given = (more: object) => resources({ databaseName: 'shop', ...more });
    expect(wordOf(await given({ connection: { ...connection, password: 'another' } }))).toEqual([
      400,
      'connection.password',
      'provider_rejected',
    ]);
    expect(wordOf(await given({ connection: { ...connection, clusterHost: 'a.evil.example' } }))).toEqual([
      400,
      'connection.clusterHost',
      'invalid_text',
    ]);
    expect(wordOf(await given({ connection, databaseName: 'a b' }))).toEqual([400, 'databaseName', 'invalid_text']);
    expect(wordOf(await given({}))).toEqual([409, '', 'needs_credentials']);
    const elsewhere = place.path('/integrations/workspace/document-db/resources');
    expect(wordOf(await place.owner.post(elsewhere, { databaseName: 'shop' }))).toEqual([409, '', 'not_supported']);
  });
});

describe('calls of runs', () => {
  let call: Call;
  let tools: Awaited<ReturnType<typeof caller>>['tools'];
  beforeAll(async () => {
    peer.reset();
    await disconnected();
  });
  beforeEach(async () => {
    ({ call, tools } = await caller());
  });

  it('see the collections of the settings in the tools, and their indexes', async () => {
    const listed = await tools();
    expect(listed.map(({ name, access }) => [name, access])).toEqual([
      ['list_collections', 'read'],
      ['find_documents', 'read'],
      ['count_documents', 'read'],
    ]);
    expect(listed[1]).toMatchObject({ inputSchema: { properties: { collection: { enum: ['orders'] } } } });
    expect(outputOf(await call('list_collections', {}))).toEqual({
      collections: [
        {
          name: 'orders',
          fields: FIELDS,
          indexes: [
            { name: '_id_', keys: { _id: 1 } },
            { name: 'total_1', keys: { total: 1 } },
            { name: 'placedAt_-1', keys: { placedAt: -1 } },
          ],
        },
      ],
    });
  });

  it('find by an index, in two questions, exactly and no more than is allowed', async () => {
    const { documents } = outputOf(
      await call('find_documents', { collection: 'orders', filter: { total: { $lte: 7 } } }),
    );
    expect(documents).toEqual([
      {
        _id: { $oid: ids[0]!.toHexString() },
        total: 5,
        state: 'paid',
        placedAt: { $date: '2026-03-01T12:00:00Z' },
        customer: { id: 1 },
      },
      {
        _id: { $oid: ids[1]!.toHexString() },
        total: 7,
        state: 'open',
        placedAt: { $date: '2026-03-01T12:00:00Z' },
        big: { $numberLong: BIG },
        lines: [{ sku: 'a' }],
      },
    ]);
    const shape = { find: 'orders', filter: { total: { $lte: 7 } }, limit: 20, singleBatch: true };
    expect(peer.commands).toMatchObject([
      {
        explain: { ...shape, projection: { _id: 1, 'customer.id': 1, 'lines.sku': 1 } },
        verbosity: 'queryPlanner',
        maxTimeMS: 2_000,
      },
      { ...shape, hint: 'total_1', maxTimeMS: 5_000, $db: 'shop', readConcern: { level: 'majority' } },
    ]);
  });

  it('find by ids, dates, chosen fields and in an order', async () => {
    const find = async (args: object) =>
      outputOf(await call('find_documents', { collection: 'orders', ...args })).documents;
    expect(await find({ filter: { _id: { $oid: ids[2]!.toHexString() } }, fields: ['total'] })).toEqual([{ total: 9 }]);
    expect(peer.named('find').at(-1)).not.toHaveProperty('hint');
    // Text is never an id.
    expect(await find({ filter: { _id: ids[2]!.toHexString(), total: 9 } })).toEqual([]);
    const since = { placedAt: { $gte: { $date: '2026-03-03T00:00:00+01:00' } } };
    expect(await find({ filter: since, fields: ['total'] })).toEqual([{ total: 9 }]);
    expect(await find({ sort: [{ field: 'total', direction: -1 }], fields: ['total'], limit: 2 })).toEqual([
      { total: 9 },
      { total: 7 },
    ]);
    expect(await find({ fields: ['total'], limit: 1 })).toEqual([{ total: 5 }]);
    expect(peer.named('find').at(-1)).toMatchObject({ hint: '_id_', projection: { _id: 0, total: 1 } });
  });

  it('count by an index, and everything over its ids', async () => {
    const count = async (filter?: object) =>
      outputOf(await call('count_documents', { collection: 'orders', ...(filter ? { filter } : {}) })).count;
    expect(await count({ total: { $gt: 5 } })).toBe(2);
    expect(await count()).toBe(3);
    expect(peer.named('aggregate').map(({ hint }) => hint)).toEqual(['total_1', '_id_']);
    peer.mishaps.set('aggregate', {
      cursor: { id: Long.ZERO, ns: 'shop.orders', firstBatch: [{ _id: 1, n: Long.fromString(BIG) }] },
      ok: 1,
    });
    expect(await count()).toEqual({ $numberLong: BIG });
  });

  it('are refused what no index serves', async () => {
    const answers = [
      await call('find_documents', { collection: 'orders', filter: { state: 'paid' } }),
      await call('find_documents', { collection: 'orders', sort: [{ field: 'state', direction: 1 }] }),
      await call('count_documents', { collection: 'orders', filter: { state: 'paid' } }),
    ];
    expect(answers.map(failureOf)).toEqual(answers.map(() => [200, 'failed', 'needs_index']));
    expect([peer.named('find'), peer.named('aggregate')]).toEqual([[], []]);
  });

  it.each<[string, object, string]>([
    ['find_documents', { collection: 'lists' }, 'collection'],
    ['find_documents', { collection: 'orders', filter: { secret: 1 } }, 'filter.secret'],
    ['find_documents', { collection: 'orders', filter: { 'customer.mail': 1 } }, 'filter.customer.mail'],
    ['find_documents', { collection: 'orders', filter: { total: { $where: '1' } } }, 'filter.total.$where'],
    ['find_documents', { collection: 'orders', filter: { $expr: {} } }, 'filter.$expr'],
    ['find_documents', { collection: 'orders', filter: { total: { $regex: 'a' } } }, 'filter.total.$regex'],
    ['find_documents', { collection: 'orders', fields: ['total', 'secret'] }, 'fields.1'],
    ['find_documents', { collection: 'orders', sort: [{ field: 'secret', direction: 1 }] }, 'sort.0.field'],
    ['find_documents', { collection: 'orders', sort: [{ field: 'total', direction: 2 }] }, 'sort.0.direction'],
    ['find_documents', { collection: 'orders', limit: 101 }, 'limit'],
    ['find_documents', { collection: 'orders', hint: 'total_1' }, 'hint'],
    ['find_documents', {}, 'collection'],
    ['count_documents', { collection: 'orders', filter: { $text: { $search: 'a' } } }, 'filter.$text'],
    ['count_documents', { collection: 'orders', filter: [] }, 'filter'],
    ['list_collections', { databaseName: 'admin' }, 'databaseName'],
  ])('of %s are refused %j without a socket or a question', async (tool, args, path) => {
    const before = led();
    expect(wordOf(await call(tool, args)).slice(0, 2)).toEqual([400, `arguments.${path}`]);
    expect(led()).toBe(before);
    expect([peer.commands, peer.connections]).toEqual([[], 0]);
  });

  it.each<[number, string]>([
    [18, 'credential_refused'],
    [8_000, 'credential_refused'],
    [13, 'scope_lost'],
    [26, 'not_found'],
    [2, 'needs_index'],
    [9, 'provider_rejected'],
    [292, 'provider_rejected'],
    [31_249, 'provider_rejected'],
    [50, 'unavailable'],
    [262, 'unavailable'],
    [43, 'unavailable'],
    [133, 'unavailable'],
    [10_107, 'unavailable'],
    [462, 'rate_limited'],
  ])('fail with a word of ours for code %i of the server', async (code, word) => {
    peer.mishaps.set('find', { code });
    const answer = await call('find_documents', { collection: 'orders', filter: { total: 5 } });
    expect(failureOf(answer)).toEqual([200, 'failed', word]);
    expect(answer.text).not.toMatch(/CANARY|mongodb\.net|Code\d/);
  });

  it('fail where the answer is too large, or none that can be read', async () => {
    peer.collections.get('orders')!.documents.push({ _id: new ObjectId(), total: 100, state: 'x'.repeat(1_100_000) });
    const large = await call('find_documents', { collection: 'orders', filter: { total: 100 } });
    expect(failureOf(large)).toEqual([200, 'failed', 'result_too_large']);
    peer.mishaps.set('find', { ok: 1 });
    const broken = await call('find_documents', { collection: 'orders', filter: { total: 5 } });
    expect(failureOf(broken)).toEqual([200, 'failed', 'bad_answer']);
  });
});
