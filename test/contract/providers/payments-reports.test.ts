import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { egressFetch } from '../../../src/kernel/egress/index.ts';
import { ProviderFailure, type ProviderNet, type ReportPage } from '../../../src/modules/integrations/index.ts';
import { PaymentsProvider } from '../../../src/modules/providers/payments-provider/index.ts';
import { Outside } from '../../support/peers/outside.ts';
import { LIVE_KEY, PaymentsPeer } from '../../support/peers/payments-peer.ts';

const adapter = new PaymentsProvider();
const access = { endpoint: null, secret: { kind: 'api_key', apiKey: LIVE_KEY }, mcp: null } as const;
const REQUEST = {
  settings: { storeIds: ['1'] },
  resource: { accountId: '1', resourceId: '1', name: 'Store', environment: 'live' },
  timezone: 'Europe/Berlin',
  grain: 'day',
  from: '2026-11-01',
  to: '2026-11-03',
} as const;

let outside: Outside;
let peer: PaymentsPeer;
let net: ProviderNet;
beforeAll(async () => {
  outside = await Outside.start();
  const hosts = adapter.hosts.map((host) => `https://${host}`);
  const limits = { totalMs: 10_000, maxBytes: 4 * 1_024 * 1_024 };
  net = { fetch: egressFetch(outside.egress(), { hosts, limits }), signal: new AbortController().signal };
});
beforeEach(async () => {
  peer = await PaymentsPeer.start(outside);
});
afterEach(() => expect(peer.faults).toEqual([]));
afterAll(() => outside.stop());

const order = (createdAt: string, more: object = {}) => ({
  store_id: 1,
  created_at: createdAt,
  status: 'paid',
  currency: 'EUR',
  total: 1_999,
  refunded_amount: 0,
  refunded_at: null,
  test_mode: false,
  ...more,
});

/** All pages of a report. */
async function pagesOf(key: string, more: object = {}): Promise<ReportPage[]> {
  const report = adapter.reports.find((each) => each.key === key)!;
  const pages: ReportPage[] = [];
  let checkpoint: ReportPage['checkpoint'] = null;
  do {
    const page = await report.next({ ...REQUEST, ...more, checkpoint }, access, net);
    pages.push(page);
    // As it is kept between two collections.
    checkpoint = JSON.parse(JSON.stringify(page.checkpoint)) as ReportPage['checkpoint'];
  } while (checkpoint !== null);
  return pages;
}

const itemsOf = async (key: string, more: object = {}) =>
  Object.fromEntries((await pagesOf(key, more)).flatMap(({ items }) => items.map((item) => [item.key, item.entries])));

describe('orders', () => {
  it('fall on days of the timezone, and only those of the window', async () => {
    peer.put('orders', 1, order('2026-10-31T22:59:59.000000Z'));
    peer.put('orders', 2, order('2026-10-31T23:00:00.000000Z'));
    peer.put('orders', 3, order('2026-11-02T22:59:59.999999Z'));
    peer.put('orders', 4, order('2026-11-02T23:00:00.000000Z'));
    const items = await itemsOf('orders');
    expect(Object.keys(items).toSorted()).toEqual(['2', '3']);
    expect(items['2']).toEqual([
      { measure: 'count', period: '2026-11-01', value: '1' },
      { measure: 'priced', period: '2026-11-01', currency: 'EUR', value: '1' },
      { measure: 'gross', period: '2026-11-01', currency: 'EUR', value: '19.99' },
    ]);
    expect(items['3']![0]!.period).toBe('2026-11-02');
  });

  it('count once they were paid; what was given back falls on its own day', async () => {
    const refund = { status: 'refunded', refunded_amount: 999, refunded_at: '2026-11-05T10:00:00.000000Z' };
    peer.put('orders', 1, order('2026-11-01T10:00:00.000000Z', refund));
    peer.put('orders', 2, order('2026-11-01T10:00:00.000000Z', { status: 'pending' }));
    peer.put('orders', 3, order('2026-11-01T10:00:00.000000Z', { ...refund, refunded_at: null }));
    const items = await itemsOf('orders');
    expect(items['1']).toContainEqual({ measure: 'refunded', period: '2026-11-05', currency: 'EUR', value: '9.99' });
    // An order that was counted and is not any more takes back what it said.
    expect(items['2']).toEqual([]);
    expect(items['3']).toContainEqual({
      measure: 'refunded',
      period: '2026-11-01',
      currency: 'EUR',
      value: null,
      reason: 'missing_value',
    });
  });

  it('are gaps where an amount is none that is known', async () => {
    peer.put('orders', 1, order('2026-11-01T10:00:00.000000Z', { currency: 'JPY' }));
    peer.put('orders', 2, order('2026-11-01T10:00:00.000000Z', { currency: 'euro' }));
    const items = await itemsOf('orders');
    expect(items['1']!.at(-1)).toMatchObject({ measure: 'gross', value: null, reason: 'unit_unverified' });
    expect(items['2']!.at(-1)).toMatchObject({ measure: 'gross', value: null, reason: 'missing_value' });
  });

  it('are walked from the newest on until they are older, and the first page once more', async () => {
    for (let each = 0; each < 250; each += 1)
      peer.put('orders', each + 1, order(new Date(Date.UTC(2026, 10, 2, 20) - each * 900_000).toISOString()));
    peer.put('orders', 900, order('2026-10-01T10:00:00.000000Z'));
    const pages = await pagesOf('orders');
    expect(peer.requests.map(({ query }) => query.get('page[number]'))).toEqual(['1', '2', '1']);
    expect(pages[0]!.wholeFrom).toBe('2026-11-02');
    const keys = new Set(pages.flatMap(({ items }) => items.map(({ key }) => key)));
    // One each quarter of an hour of the 45 hours since the first midnight.
    expect(keys.size).toBe(181);
  });

  it.each<[string, object]>([
    ['of another store', { store_id: 2 }],
    ['of the test mode', { test_mode: true }],
    ['without a time', { created_at: 'yesterday' }],
  ])('fail as a whole where a row is %s', async (_, attributes) => {
    peer.put('orders', 1, order('2026-11-01T10:00:00.000000Z'));
    peer.intruders.set('orders', { id: '99', attributes: { ...order('2026-11-01T09:00:00.000000Z'), ...attributes } });
    const error: unknown = await pagesOf('orders').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProviderFailure);
    expect((error as ProviderFailure).failure.code).toBe('bad_answer');
  });
});

describe('renewals', () => {
  it('are invoices but the first, which belongs to its order', async () => {
    const at = '2026-11-01T10:00:00.000000Z';
    peer.put('subscription-invoices', 1, order(at, { billing_reason: 'initial' }));
    peer.put('subscription-invoices', 2, order(at, { billing_reason: 'renewal', total: 500 }));
    expect(await itemsOf('renewals')).toEqual({
      1: [],
      2: [{ measure: 'gross', period: '2026-11-01', currency: 'EUR', value: '5' }],
    });
  });
});

describe('subscriptions', () => {
  it('are counted by status, a request for each', async () => {
    peer.put('subscriptions', 1, { store_id: 1, status: 'active', test_mode: false });
    peer.put('subscriptions', 2, { store_id: 1, status: 'active', test_mode: false });
    peer.put('subscriptions', 3, { store_id: 1, status: 'paused', test_mode: false });
    const items = await itemsOf('subscriptions');
    expect(Object.keys(items)).toHaveLength(7);
    expect(peer.requests).toHaveLength(7);
    expect(items['active']).toEqual([{ measure: 'subscriptions', period: '2026-11-02', cut: 'active', value: '2' }]);
    expect(items['expired']).toEqual([{ measure: 'subscriptions', period: '2026-11-02', cut: 'expired', value: '0' }]);
  });
});
