import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { statusOf, usePayments, wordOf } from '../../support/connectors/payments.ts';
import { fillStore, TEST_KEY } from '../../support/peers/payments-peer.ts';

const KEY = 'payments-provider';
const payments = usePayments();
const { app, at, call, connect, connectStores, expectClean, place, row, save, stores } = payments;

describe('a key: 200', () => {
  beforeEach(connectStores);

  it('is known by its mode, which clears the settings of another one, and is never shown', async () => {
    const live = await connect();
    expect(live.body.data).toMatchObject({ enabled: true, readiness: 'ready', settings: { storeIds: ['1', '3'] } });
    const test = await connect(TEST_KEY);
    expect(test.body.data).toMatchObject({ readiness: 'needs_settings', settings: null });
    const { rows } = await app.db.query(
      'select identity, details from integration_credential where integration_id = $1',
      [payments.id],
    );
    expect(rows).toEqual([{ identity: 'test', details: { mode: 'test', stores: 3, truncated: false } }]);
    expectClean(live, test);
  });

  it('is of the mode of its rows where the provider says none beside them', async () => {
    payments.peer.forget();
    payments.peer.saysMode = false;
    expect((await connect()).status).toBe(200);
    // Neither stores nor their list say it here; a product does.
    expect(payments.peer.asked).toEqual(['GET stores', 'GET products', 'GET stores', 'GET products']);
    const { rows } = await app.db.query('select identity from integration_credential where integration_id = $1', [
      payments.id,
    ]);
    expect(rows).toEqual([{ identity: 'live' }]);
  });
});

describe('a key: 400 and 503', () => {
  it('is refused where the provider refuses it, or no request can carry it, and nothing is stored', async () => {
    const before = await row();
    const refused = await connect('CANARY-nobody');
    expect(wordOf(refused)).toEqual([400, 'apiKey', 'provider_rejected']);
    const asked = payments.peer.requests.length;
    expect(wordOf(await connect('two\nlines'))).toEqual([400, 'apiKey', 'provider_rejected']);
    expect(payments.peer.requests).toHaveLength(asked);
    payments.peer.answering = statusOf(500);
    expect((await connect()).status).toBe(503);
    expect(await row()).toEqual(before);
    expectClean(refused);
  });
});

describe('settings: 200', () => {
  beforeAll(connectStores);

  it('hold the stores by number, or those that are there when all are chosen', async () => {
    expect((await save({ storeIds: ['3', '2'] })).body.data.settings).toEqual({ kind: KEY, storeIds: ['2', '3'] });
    expect((await save({ selectAll: true })).body.data.settings).toEqual({ kind: KEY, storeIds: ['1', '2', '3'] });
    const { settings_revision: revision, verified_resources: resources } = await row();
    expect(resources).toEqual(
      ['1', '2', '3'].map((store) => ({
        accountId: store,
        resourceId: store,
        name: `Store ${store}`,
        environment: 'live',
        currency: 'EUR',
      })),
    );
    // A store that comes later is in nobody's reach before the settings say so.
    fillStore(payments.peer, 4);
    expect((await call('get_store', { store_id: '4' })).status).toBe(409);
    expect(((await save({ storeIds: ['3', '2', '1'] })).body.data.revisions as { settings: number }).settings).toBe(
      revision,
    );
    payments.peer.remove('stores', 4);
  });

  it('may name a store beyond the 200 that are listed', async () => {
    payments.peer.answering = ({ path }, response) => {
      if (path !== 'stores') return false;
      const page = { currentPage: 1, lastPage: 1, perPage: 100, total: 201, from: 1, to: 1 };
      const body = JSON.stringify({ data: [], meta: { page, test_mode: false } });
      return response.writeHead(200, { 'content-type': 'application/vnd.api+json' }).end(body) !== undefined;
    };
    expect((await save({ storeIds: ['2'] })).body.data.settings).toEqual({ kind: KEY, storeIds: ['2'] });
    expect(payments.peer.asked).toEqual(['GET stores', 'GET stores/2']);
    expect(wordOf(await save({ selectAll: true }))).toEqual([400, 'settings.selectAll', 'limit_exceeded']);
  });
});

describe('settings: 400', () => {
  beforeAll(connectStores);

  it.each<[string, object, string, string]>([
    ['nothing', {}, 'settings.storeIds', 'required'],
    ['no store', { storeIds: [] }, 'settings.storeIds', 'invalid_length'],
    ['both forms', { storeIds: ['1'], selectAll: true }, 'settings.selectAll', 'not_of_kind'],
    ['not all', { selectAll: false }, 'settings.selectAll', 'unknown_value'],
    ['a number', { storeIds: [1] }, 'settings.storeIds.0', 'wrong_type'],
    ['a path', { storeIds: ['1/../2'] }, 'settings.storeIds.0', 'invalid_text'],
    ['a store twice', { storeIds: ['1', '1'] }, 'settings.storeIds', 'duplicate_item'],
    ['more', { storeIds: ['1'], apiKey: 'x' }, 'settings.apiKey', 'unknown_property'],
    ['51 stores', { storeIds: Array.from({ length: 51 }, (_, n) => `${n}`) }, 'settings.storeIds', 'limit_exceeded'],
  ])('are refused without a socket that hold %s', async (_, settings, path, code) => {
    const sockets = payments.outside.sockets.length;
    const before = payments.peer.requests.length;
    expect(wordOf(await save(settings))).toEqual([400, path, code]);
    expect(payments.peer.requests).toHaveLength(before);
    expect(payments.outside.sockets.slice(sockets).filter(({ remotePort }) => remotePort === 443)).toEqual([]);
  });

  it('are refused that name a store of nobody, and nothing is stored', async () => {
    const before = await row();
    expect(wordOf(await save({ storeIds: ['1', '99'] }))).toEqual([400, 'settings.storeIds.1', 'provider_rejected']);
    expect(await row()).toEqual(before);
  });
});

describe('the stores to choose from: 200', () => {
  it('are those of the stored key or of a given one, and nothing is stored', async () => {
    const before = await row();
    const expected = [1, 2, 3].map((store) => ({
      id: String(store),
      name: `Store ${store}`,
      slug: `store-${store}`,
      domain: 'd',
      currency: 'EUR',
    }));
    const [stored, given] = [await stores(), await stores({ apiKey: TEST_KEY })];
    for (const answer of [stored, given]) {
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ items: expected, truncated: false });
    }
    await place.owner.delete(at('/credential'));
    expect((await stores({ apiKey: TEST_KEY })).status).toBe(200);
    await connect();
    expect({ ...(await row()), settings: 0 }).toMatchObject({ settings: 0, selection: before['selection'] });
    expectClean(stored, given);
  });

  it('are 200 at most, of two pages', async () => {
    for (let store = 1_001; store <= 1_203; store += 1) payments.peer.put('stores', store, { name: `Many ${store}` });
    const { body } = await stores();
    expect([body.data.items.length, body.data.truncated, payments.peer.requests.length]).toEqual([200, true, 2]);
    for (let store = 1_001; store <= 1_203; store += 1) payments.peer.remove('stores', store);
  });
});

describe('the stores to choose from: 400, 403, 404, 409 and 503', () => {
  it('say why there are none', async () => {
    expect(wordOf(await stores({ apiKey: 'CANARY-nobody' }))).toEqual([400, 'apiKey', 'provider_rejected']);
    expect(wordOf(await stores({ apiKey: 7 }))).toEqual([400, 'apiKey', 'wrong_type']);
    const of = (kind: string) => place.owner.post(place.path(`/integrations/${kind}/payments-provider/stores`), {});
    expect((await of('nothing-such')).status).toBe(404);
    expect(wordOf(await of('workspace'))).toEqual([409, '', 'not_supported']);
    payments.peer.answering = statusOf(401);
    expect(wordOf(await stores())).toEqual([409, '', 'credential_refused']);
    payments.peer.answering = (_, response) =>
      response.writeHead(302, { location: 'https://elsewhere.example' }).end() !== null;
    const redirected = await stores();
    expect([redirected.status, redirected.body.error.code]).toEqual([503, 'provider_unavailable']);
    payments.peer.answering = undefined;
    await place.owner.delete(at('/credential'));
    expect(wordOf(await stores())).toEqual([409, '', 'needs_credentials']);
    expect(
      payments.outside.attempts.some((each) => !/^(127\.0\.0\.1|localhost|::1|93\.184\.216\.1:443)/.test(each)),
    ).toBe(false);
  });
});

describe('a check: 200', () => {
  beforeAll(connectStores);

  it('looks at each store, and tells those that are gone', async () => {
    payments.peer.remove('stores', 3);
    const gone = await place.owner.post(at('/check'), {});
    expect(gone.body.data).toMatchObject({
      readiness: 'degraded',
      health: {
        observations: [
          { scope: 'credential', status: 'verified' },
          { scope: 'resource:1', status: 'verified' },
          { scope: 'resource:3', status: 'failed', code: 'resource_missing' },
        ],
      },
    });
    fillStore(payments.peer, 3);
    expect((await place.owner.post(at('/check'), {})).body.data.readiness).toBe('ready');
    expectClean(gone);
  });

  it('lists its tools without asking anybody', async () => {
    const { body } = await place.owner.post(at('/discover'), {});
    expect(body.data.tools).toHaveLength(24);
    expect(payments.peer.requests).toEqual([]);
  });
});
