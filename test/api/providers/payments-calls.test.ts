import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { JobRunner } from '../../../src/kernel/jobs/index.ts';
import { statusOf, usePayments, wordOf } from '../../support/connectors/payments.ts';

const payments = usePayments();
const { app, call, connectStores, expectClean, place, startRun } = payments;

/** Each read with what it asks for in store 1, and the requests that it takes. */
const GETS = [
  ['product', 1, 1],
  ['variant', 2, 2],
  ['price', 3, 3],
  ['customer', 4, 1],
  ['order', 5, 1],
  ['order_item', 6, 2],
  ['subscription', 7, 1],
  ['subscription_invoice', 8, 1],
  ['subscription_item', 9, 2],
  ['discount', 0, 1],
] as const;
const LISTS = [
  ['customers', 'customers', 4, 1, {}],
  ['products', 'products', 1, 1, {}],
  ['variants', 'variants', 2, 2, { product_id: 1 }],
  ['prices', 'prices', 3, 3, { variant_id: 2 }],
  ['orders', 'orders', 5, 1, {}],
  ['order_items', 'order-items', 6, 2, { order_id: 5 }],
  ['subscriptions', 'subscriptions', 7, 1, {}],
  ['subscription_invoices', 'subscription-invoices', 8, 1, {}],
  ['subscription_items', 'subscription-items', 9, 2, { subscription_id: 7 }],
  ['discounts', 'discounts', 0, 1, {}],
] as const;
/** The parent's type by the key of it. */
const PARENTS: Readonly<Record<string, readonly [type: string, last: number]>> = {
  variant: ['products', 1],
  price: ['variants', 2],
  order_item: ['orders', 5],
  subscription_item: ['subscriptions', 7],
};
const idOf = (store: number, last: number) => String(store * 10 + last);
const inStore = (store: number, parents: object) =>
  Object.fromEntries(Object.entries(parents).map(([name, last]) => [name, idOf(store, last as number)]));
const NOT_FOUND = { status: 'failed', error: { code: 'not_found', providerStatus: 404, retryable: false } };

describe('reads: 200', () => {
  beforeAll(connectStores);

  it.each(GETS)('get_%s shows a row of the store, and none of another one', async (one, last, requests) => {
    const found = await call(`get_${one}`, { store_id: '1', id: idOf(1, last) });
    expect(found.body.data).toMatchObject({
      status: 'succeeded',
      output: { structuredContent: { item: { id: idOf(1, last) } }, isError: false },
    });
    expect(payments.peer.requests).toHaveLength(requests);
    // Of a store that nobody chose, of another chosen one, and of nobody: one answer.
    const answers = await Promise.all(
      [idOf(2, last), idOf(3, last), '777'].map((each) => call(`get_${one}`, { store_id: '1', id: each })),
    );
    for (const { body } of answers) expect(body.data).toEqual({ ...NOT_FOUND, error: answers[2]!.body.data.error });
    expect(answers[2]!.body.data).toMatchObject(NOT_FOUND);
    expectClean(found, ...answers);
  });

  it.each(LISTS)('list_%s shows rows of the store, and none of another one', async (many, type, last, requests, of) => {
    const found = await call(`list_${many}`, { store_id: '1', ...inStore(1, of) });
    expect(found.body.data).toMatchObject({
      status: 'succeeded',
      output: {
        structuredContent: { items: [{ id: idOf(1, last) }], page: { current: 1, last: 1, size: 25, total: 1 } },
      },
    });
    expect(found.body.data.output.structuredContent.items).toHaveLength(1);
    expect(payments.peer.requests).toHaveLength(requests);
    const foreign = payments.peer.of(type).find((each) => each.id === idOf(2, last))!;
    // A provider whose list does not keep to its filter is not believed in anything.
    payments.peer.intruders.set(type, foreign);
    const mixed = await call(`list_${many}`, { store_id: '1', ...inStore(1, of) });
    expect(mixed.body.data).toMatchObject({ status: 'failed', error: { code: 'bad_answer' } });
    payments.peer.intruders.set(type, { ...foreign, attributes: {} });
    const keyless = await call(`list_${many}`, { store_id: '1', ...inStore(1, of) });
    expect(keyless.body.data).toMatchObject({ status: 'failed', error: { code: 'bad_answer' } });
    payments.peer.intruders.clear();
    if (Object.keys(of).length > 0) {
      const before = payments.peer.requests.length;
      for (const store of [2, 3]) {
        const under = await call(`list_${many}`, { store_id: '1', ...inStore(store, of) });
        expect(under.body.data).toMatchObject(NOT_FOUND);
      }
      expect(payments.peer.requests.slice(before).some(({ query }) => query.has('page[size]'))).toBe(false);
    }
    expectClean(found, mixed, keyless);
  });

  it.each(Object.entries(PARENTS))('get_%s is proven through each parent', async (one, [type, last]) => {
    const [, own] = GETS.find(([name]) => name === one)!;
    const chain = type === 'variants' ? [['variants', 2] as const, ['products', 1] as const] : [[type, last] as const];
    for (const [parentType, parentLast] of chain) {
      const parent = payments.peer.of(parentType).find((each) => each.id === idOf(1, parentLast))!;
      const spoilt = [
        // Without its own key, with one that is no id, with that of another store, and gone.
        {},
        { ...parent.attributes, store_id: true, product_id: { id: 11 } },
        { ...parent.attributes, store_id: 2, product_id: 21 },
        undefined,
      ];
      for (const attributes of spoilt) {
        if (attributes) payments.peer.put(parentType, parent.id, attributes);
        else payments.peer.remove(parentType, parent.id);
        const answer = await call(`get_${one}`, { store_id: '1', id: idOf(1, own) });
        expect(answer.body.data).toMatchObject(NOT_FOUND);
        expectClean(answer);
      }
      payments.peer.put(parentType, parent.id, parent.attributes);
    }
  });

  it('list_stores and get_store show the chosen stores', async () => {
    const list = await call('list_stores', { page_size: 1, page: 2 });
    expect(list.body.data.output.structuredContent).toMatchObject({
      items: [{ id: '3', name: 'Store 3' }],
      page: { current: 2, last: 2, size: 1, total: 2 },
    });
    const one = await call('get_store', { store_id: '3' });
    expect(one.body.data.output.structuredContent.item).toMatchObject({ id: '3', currency: 'EUR' });
    payments.peer.remove('stores', 3);
    expect((await call('get_store', { store_id: '3' })).body.data).toMatchObject(NOT_FOUND);
    expectClean(list, one);
  });

  it('send their filters and their page, and keep what the projection names', async () => {
    const { body } = await call('list_subscriptions', {
      store_id: '1',
      order_id: '15',
      user_email: 'ada@store-1.example',
      status: 'active',
      page: 2,
      page_size: 100,
    });
    expect(body.data.output.structuredContent).toEqual({
      items: [],
      page: { current: 2, last: 1, size: 100, total: 1 },
    });
    expect(Object.fromEntries(payments.peer.requests[0]!.query)).toEqual({
      'filter[store_id]': '1',
      'filter[order_id]': '15',
      'filter[user_email]': 'ada@store-1.example',
      'filter[status]': 'active',
      'page[number]': '2',
      'page[size]': '100',
    });
    const invoices = await call('list_subscription_invoices', { store_id: '1', refunded: false });
    expect(invoices.body.data.output.structuredContent.items[0]).toMatchObject({
      total: 500,
      billing_reason: 'renewal',
    });
    expectClean(invoices);
  });

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    [
      'another row',
      (response) => response.end('{"data":{"type":"orders","id":"16","attributes":{"store_id":1}}}'),
      'bad_answer',
    ],
    ['another type', (response) => response.end('{"data":{"type":"stores","id":"15","attributes":{}}}'), 'bad_answer'],
    ['no row', (response) => response.end('{"data":null}'), 'bad_answer'],
    ['nothing', (response) => response.end(), 'bad_answer'],
  ])('fail where the provider answers with %s', async (_, answer, code) => {
    payments.peer.answering = (__, response) => {
      response.setHeader('content-type', 'application/vnd.api+json');
      answer(response);
      return true;
    };
    const { body } = await call('get_order', { store_id: '1', id: '15' });
    expect(body.data).toMatchObject({ status: 'failed', error: { code } });
  });

  it.each([
    [401, 'credential_refused'],
    [403, 'scope_lost'],
    [422, 'provider_rejected'],
    [429, 'rate_limited'],
    [503, 'unavailable'],
  ])('fail with the word for a %s', async (status, code) => {
    payments.peer.answering = statusOf(status);
    const answer = await call('get_order', { store_id: '1', id: '15' });
    expect(answer.body.data).toMatchObject({ status: 'failed', error: { code, providerStatus: status } });
    expectClean(answer);
  });
});

describe('reads: 400', () => {
  it.each<[string, string, object, string, string]>([
    ['no store', 'list_orders', {}, 'store_id', 'required'],
    ['a store that nobody chose', 'list_orders', { store_id: '2' }, 'store_id', 'unknown_value'],
    ['a store in another spelling', 'get_order', { store_id: '01', id: '15' }, 'store_id', 'unknown_value'],
    ['a list of stores', 'get_order', { store_id: ['1'], id: '15' }, 'store_id', 'wrong_type'],
    ['no parent', 'list_variants', { store_id: '1' }, 'product_id', 'required'],
    ['a path for an id', 'get_order', { store_id: '1', id: '15/../../stores/2' }, 'id', 'invalid_text'],
    ['a short path', 'get_order', { store_id: '1', id: '../stores/2' }, 'id', 'invalid_text'],
    ['another filter', 'list_orders', { store_id: '1', customer_id: '4' }, 'customer_id', 'unknown_property'],
    ['an include', 'list_orders', { store_id: '1', include: 'store' }, 'include', 'unknown_property'],
    ['a status of nobody', 'list_subscriptions', { store_id: '1', status: 'dead' }, 'status', 'unknown_value'],
    ['a page too large', 'list_orders', { store_id: '1', page_size: 101 }, 'page_size', 'out_of_range'],
    ['page 0', 'list_orders', { store_id: '1', page: 0 }, 'page', 'out_of_range'],
    [
      'an injected filter',
      'list_customers',
      { store_id: '1', email: 'a b&filter[store_id]=2' },
      'email',
      'invalid_text',
    ],
  ])('are refused before a socket with %s', async (_, tool, args, path, code) => {
    const sockets = payments.outside.attempts.length;
    expect(wordOf(await call(tool, args))).toEqual([400, `arguments.${path}`, code]);
    expect(payments.outside.attempts.slice(sockets).filter((each) => each.endsWith(':443'))).toEqual([]);
  });
});

describe('writes', () => {
  beforeAll(connectStores);

  const customer = { store_id: '1', name: 'Grace', email: 'grace@acme.example', country: 'US' };

  beforeEach(startRun);

  it('create a customer once, and say what the provider refuses', async () => {
    const made = await call('create_customer', customer);
    expect(made.body.data).toMatchObject({
      status: 'action',
      action: { status: 'succeeded', risk: 'external' },
      output: { structuredContent: { item: { name: 'Grace', email: 'grace@acme.example', store_id: 1 } } },
    });
    expect(JSON.parse(payments.peer.requests[0]!.body)).toEqual({
      data: {
        type: 'customers',
        attributes: { name: 'Grace', email: 'grace@acme.example', country: 'US' },
        relationships: { store: { data: { type: 'stores', id: '1' } } },
      },
    });
    await startRun();
    const again = await call('create_customer', customer);
    expect(again.body.data).toMatchObject({
      action: { status: 'failed', error: { code: 'provider_rejected', providerStatus: 422 } },
    });
    expect(payments.peer.effects).toHaveLength(1);
    expectClean(made, again);
  });

  it('create a checkout, whose variants are all proven before', async () => {
    payments.peer.put('variants', 112, { product_id: 11, name: 'Signed' });
    const { body, text } = await call('create_checkout', {
      store_id: '1',
      variant_id: '12',
      custom_price: 500,
      product_options: { name: 'Book', enabled_variants: ['12', '112'] },
      checkout_data: {
        email: 'ada@acme.example',
        custom: { ref: 'a1' },
        variant_quantities: [{ variant_id: '112', quantity: 2 }],
      },
    });
    expect(body.data).toMatchObject({
      action: { status: 'succeeded' },
      output: { structuredContent: { item: { url: expect.stringMatching(/^https:\/\/acme/), test_mode: false } } },
    });
    expect(payments.peer.asked).toEqual([
      'GET variants/12',
      'GET products/11',
      'GET variants?filter[product_id]=11',
      'POST checkouts',
    ]);
    expect(JSON.parse(payments.peer.requests[3]!.body).data).toMatchObject({
      attributes: {
        custom_price: 500,
        product_options: { name: 'Book', enabled_variants: [12, 112] },
        checkout_data: { custom: { ref: 'a1' }, variant_quantities: [{ variant_id: 112, quantity: 2 }] },
      },
      relationships: { variant: { data: { type: 'variants', id: '12' } } },
    });
    expectClean({ text });
    payments.peer.remove('variants', 112);
  });

  it.each<[string, object]>([
    ['the variant', { variant_id: '22' }],
    ['one that is enabled', { variant_id: '12', product_options: { enabled_variants: ['22'] } }],
    [
      'one in a quantity',
      { variant_id: '12', checkout_data: { variant_quantities: [{ variant_id: '32', quantity: 1 }] } },
    ],
    ['one of nobody', { variant_id: '777' }],
  ])('are not sent where %s is of another store', async (_, args) => {
    const { body } = await call('create_checkout', { store_id: '1', ...args });
    expect(body.data.action).toMatchObject({ status: 'not_executed', error: { code: 'not_found' } });
    expect(payments.peer.asked.some((each) => each.startsWith('POST'))).toBe(false);
  });

  it.each<[string, string, object, string]>([
    ['another store', 'create_customer', { ...customer, store_id: '2' }, 'store_id'],
    ['no address', 'create_customer', { ...customer, email: 'grace' }, 'email'],
    ['a country in words', 'create_customer', { ...customer, country: 'us' }, 'country'],
    ['a preview', 'create_checkout', { store_id: '1', variant_id: '12', preview: true }, 'preview'],
    ['test data', 'create_checkout', { store_id: '1', variant_id: '12', test_mode: true }, 'test_mode'],
    [
      'an address without TLS',
      'create_checkout',
      { store_id: '1', variant_id: '12', product_options: { redirect_url: 'http://a.example' } },
      'product_options.redirect_url',
    ],
    [
      'a variant that a number cannot hold',
      'create_checkout',
      { store_id: '1', variant_id: '12', product_options: { enabled_variants: ['9007199254740993'] } },
      'product_options.enabled_variants.0',
    ],
    [
      'an address with credentials',
      'create_checkout',
      { store_id: '1', variant_id: '12', product_options: { receipt_link_url: 'https://a:b@a.example' } },
      'product_options.receipt_link_url',
    ],
    [
      'a day that no calendar has',
      'create_checkout',
      { store_id: '1', variant_id: '12', expires_at: '2026-99-99T99:99:99Z' },
      'expires_at',
    ],
    [
      'a variant twice',
      'create_checkout',
      {
        store_id: '1',
        variant_id: '12',
        checkout_data: {
          variant_quantities: [
            { variant_id: '12', quantity: 1 },
            { variant_id: '12', quantity: 2 },
          ],
        },
      },
      'checkout_data.variant_quantities.1.variant_id',
    ],
  ])('are refused before a socket with %s', async (_, tool, args, path) => {
    const { status, body } = await call(tool, args);
    expect([status, body.error.issues[0].path]).toEqual([400, `arguments.${path}`]);
    expect(payments.peer.requests).toEqual([]);
  });

  it.each<[string, object]>([
    ['no address of a page', { store_id: 1, url: 'javascript:alert(1)' }],
    ['a checkout of another store', { store_id: 2, url: 'https://acme.lemonsqueezy.com/checkout/a' }],
  ])('are in doubt where the provider answers with %s', async (_, attributes) => {
    payments.peer.answering = ({ method }, response) => {
      if (method !== 'POST') return false;
      response.writeHead(201, { 'content-type': 'application/vnd.api+json' });
      response.end(JSON.stringify({ data: { type: 'checkouts', id: 'a', attributes } }));
      return true;
    };
    const { body, text } = await call('create_checkout', { store_id: '1', variant_id: '12' });
    expect(body.data.action).toMatchObject({ status: 'reconciliation_required', error: { code: 'bad_answer' } });
    expect(text).not.toContain('alert');
  });

  it('that broke off are found where the provider writes whole seconds', async () => {
    payments.peer.afterWrite = (response, { email }) => {
      const made = payments.peer.of('customers').find((row) => row.attributes['email'] === email)!;
      const second = new Date().toISOString().slice(0, 19);
      payments.peer.put('customers', made.id, { ...made.attributes, created_at: `${second}.000000Z` });
      return response.destroy() !== null;
    };
    const { body } = await call('create_customer', { store_id: '1', name: 'Tony', email: 'tony@acme.example' });
    const { id: actionId } = body.data.action;
    await app.db.query(`update action set settle_at = clock_timestamp() where id = $1`, [actionId]);
    await app.app.get(JobRunner).run('actions-settle');
    expect((await place.owner.get(place.path(`/actions/${actionId}`))).body.data.status).toBe('succeeded');
  });

  it('that broke off are looked for, and found where a customer came to be since', async () => {
    payments.peer.afterWrite = (response) => response.destroy() !== null;
    const args = { store_id: '1', name: 'Edsger', email: 'edsger@acme.example' };
    const { body } = await call('create_customer', args);
    const { id: actionId, status } = body.data.action;
    expect(status).toBe('reconciliation_required');
    await app.db.query(`update action set settle_at = clock_timestamp() where id = $1`, [actionId]);
    await app.app.get(JobRunner).run('actions-settle');
    const { body: settled } = await place.owner.get(place.path(`/actions/${actionId}`));
    expect(settled.data).toMatchObject({
      status: 'succeeded',
      result: { structuredContent: { item: { email: 'edsger@acme.example' } } },
    });
    expect(payments.peer.asked).toEqual([
      'POST customers',
      'GET customers?filter[store_id]=1&filter[email]=edsger@acme.example',
    ]);
    expect(payments.peer.effects).toHaveLength(1);
  });

  it('that broke off and left nothing stay with a person', async () => {
    payments.peer.answering = ({ method }, response) => method === 'POST' && response.destroy() !== null;
    const { body } = await call('create_customer', { store_id: '1', name: 'Alan', email: 'alan@acme.example' });
    const { id: actionId } = body.data.action;
    // Somebody of that address was there long before.
    payments.peer.put('customers', 990, {
      store_id: 1,
      email: 'alan@acme.example',
      created_at: '2026-01-01T00:00:00.000000Z',
    });
    await app.db.query(`update action set settle_at = clock_timestamp() where id = $1`, [actionId]);
    await app.app.get(JobRunner).run('actions-settle');
    const { body: still } = await place.owner.get(place.path(`/actions/${actionId}`));
    expect(still.data.status).toBe('reconciliation_required');
  });
});
