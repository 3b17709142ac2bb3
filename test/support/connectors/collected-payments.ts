import { afterAll, beforeAll, beforeEach, jest } from '@jest/globals';
import { CollectionPaceService } from '../../../src/modules/insights/collection/collection-pace.service.ts';
import { Outside } from '../peers/outside.ts';
import { fillStore, LIVE_KEY, PaymentsPeer } from '../peers/payments-peer.ts';
import { usePerson, useTestApp } from '../use-test-app.ts';
import { organizationOf } from '../client.ts';

const KEY = 'payments-provider';
const DAY_MS = 86_400_000;

/** An order of a made store: so many days ago, in minor units. */
export interface MadeOrder {
  readonly daysAgo: number;
  readonly currency: string;
  readonly total: number;
  readonly status?: string;
  /** Given back so many days ago. */
  readonly refundedDaysAgo?: number;
}

/** Orders over a hundred days, some in another currency, unpaid or given back later. */
export function madeOrders(count: number): MadeOrder[] {
  return Array.from({ length: count }, (_, at): MadeOrder => {
    const daysAgo = Math.floor((at * 100) / count);
    const isRefunded = at % 7 === 3 && daysAgo > 1;
    return {
      daysAgo,
      currency: at % 5 === 0 ? 'USD' : 'EUR',
      total: 1_000 + ((at * 37) % 900),
      status: at % 11 === 0 ? 'failed' : isRefunded ? 'refunded' : 'paid',
      ...(isRefunded ? { refundedDaysAgo: Math.floor(daysAgo / 3) } : {}),
    };
  });
}

/** What is visible of an organization: sums of series by measure and currency, and days by the same. */
export type Totals = Readonly<Record<string, string>>;

/**
 * Payments that are collected, in a database of their own, since the job looks across organizations. Requests do not wait for
 * each other.
 */
export function useCollectedPayments() {
  const app = useTestApp({ ownDatabase: true });
  const owner = usePerson(app);
  let outside: Outside;
  let peer: PaymentsPeer;
  let organizationId: string;

  beforeAll(async () => {
    outside = await Outside.start();
    outside.surround(app);
    peer = await PaymentsPeer.start(outside);
    jest.spyOn(app.app.get(CollectionPaceService), 'rest').mockResolvedValue();
  });
  afterAll(() => outside.stop());
  beforeEach(async () => {
    peer.forget();
    organizationId = await organizationOf(owner);
    await app.db.query(`update metric_source set due_at = null, lease_expires_at = null`);
  });

  const at = (rest = '') => `/organizations/${organizationId}/integrations/${KEY}${rest}`;
  const rows = async (text: string) => (await app.db.query(text, [organizationId])).rows;
  return {
    app,
    owner,
    at,
    rows,
    get peer() {
      return peer;
    },
    get organizationId() {
      return organizationId;
    },
    connect: async (storeIds: readonly string[] = ['1']) => {
      await owner.put(at('/credential'), { kind: 'api_key', apiKey: LIVE_KEY });
      const saved = await owner.put(at('/settings'), { settings: { kind: KEY, storeIds } });
      if (saved.status !== 200) throw new Error(saved.text);
      await app.runJob('outbox');
    },
    /** Puts these orders, and nothing else, into the first store. */
    fill: (orders: readonly MadeOrder[]) => {
      fillStore(peer, 1);
      for (const { id } of peer.of('orders')) peer.remove('orders', id);
      for (const { id } of peer.of('subscription-invoices')) peer.remove('subscription-invoices', id);
      for (const [at, order] of orders.entries()) putOrder(peer, at + 1, order);
    },
    collect: () => app.runJob('insight-collection'),
    /** As if this time had passed for what is due. */
    makeDue: async () => {
      await rows(`update metric_source set due_at = now(), backoff_until = null where organization_id = $1`);
      await rows(`update metric_read set due_at = now() where organization_id = $1`);
    },
    /** Sums of everything that readers see now. */
    totals: async (timezone = '%'): Promise<Totals> => {
      const { rows: found } = await app.db.query(
        `select m.measure || coalesce(' ' || m.currency, '') as name, sum(v)::text as total
         from metric_series m join metric_block b using (organization_id)
         cross join unnest(b.values) v
         where m.organization_id = $1 and b.series_id = m.id and b.to_revision is null
           and m.measure like any (array['orders.%', 'renewals.%']) and m.measure not like '%.parts'
           and m.timezone like $2
         group by 1 having sum(v) is not null order by 1`,
        [organizationId, timezone],
      );
      return Object.fromEntries(found.map(({ name, total }) => [name, total]));
    },
  };
}

function putOrder(peer: PaymentsPeer, id: number, order: MadeOrder): void {
  const { daysAgo, currency, total, status = 'paid', refundedDaysAgo } = order;
  peer.put('orders', id, {
    store_id: 1,
    created_at: instant(daysAgo, id),
    test_mode: false,
    currency,
    status,
    total,
    refunded_amount: refundedDaysAgo === undefined ? 0 : total,
    refunded_at: refundedDaysAgo === undefined ? null : instant(refundedDaysAgo, id),
  });
}

/** No day is far from noon, so that the tests may run at midnight. */
function instant(daysAgo: number, id: number): string {
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
  const ms = daysAgo === 0 ? Date.now() - 1_000 : noon - daysAgo * DAY_MS;
  return new Date(ms - id).toISOString().replace('Z', '000Z');
}

/** What the orders add up to. */
export function expectedTotals(orders: readonly MadeOrder[]): Totals {
  const totals = new Map<string, number>();
  const add = (name: string, value: number) => totals.set(name, (totals.get(name) ?? 0) + value);
  for (const { currency, total, status = 'paid', refundedDaysAgo } of orders) {
    if (status === 'failed') continue;
    add('orders.count', 1);
    add(`orders.priced ${currency}`, 1);
    add(`orders.gross ${currency}`, total / 100);
    if (refundedDaysAgo !== undefined) add(`orders.refunded ${currency}`, total / 100);
  }
  const sorted = [...totals].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, total]) => [name, String(Math.round(total * 100) / 100)]));
}
