import { describe, expect, it, jest } from '@jest/globals';
import { Transactions } from '../../../src/kernel/database/index.ts';
import { expectedTotals, madeOrders, useCollectedPayments } from '../../support/connectors/collected-payments.ts';

/** Raised by hand. */
const KILLS = Number(process.env.KILLS ?? 8);

const store = useCollectedPayments();

describe('a collection', () => {
  it('reads recent days, then history, and adds up to what the provider has', async () => {
    const orders = madeOrders(230);
    store.fill(orders);
    await store.connect();
    await store.collect();
    expect(rounded(await store.totals())).toEqual(rounded(expectedTotals(orders)));
    expect(store.peer.faults).toEqual([]);
    const [source] = await store.rows(
      `select coverage->>'status' as status, lease_token, failures, last_error, due_at > now() as "isLater"
       from metric_source where organization_id = $1`,
    );
    expect(source).toEqual({ status: 'complete', lease_token: null, failures: 0, last_error: null, isLater: true });
    expect(await store.rows(`select from metric_staged where organization_id = $1`)).toEqual([]);
    const kept = await store.rows(`select distinct status from metric_collection where organization_id = $1`);
    expect(kept).toEqual([{ status: 'published' }]);
  });

  it('takes corrections of old days with the daily look at them', async () => {
    const orders = madeOrders(60);
    store.fill(orders);
    await store.connect();
    await store.collect();
    const changed = orders.with(30, { ...orders[30]!, total: 9_999, currency: 'EUR' });
    store.fill(changed);
    await store.makeDue();
    await store.rows(
      `update metric_read set progress = progress || '{"rereadAt":"2020-01-01T00:00:00Z"}' where organization_id = $1`,
    );
    await store.collect();
    expect(rounded(await store.totals())).toEqual(rounded(expectedTotals(changed)));
    const restated = await store.rows(`select count(*)::int as n from metric_restatement where organization_id = $1`);
    expect(restated[0]!['n']).toBeGreaterThan(0);
  });
});

it('is made anew in the days of another timezone, and the definitions with it', async () => {
  const orders = madeOrders(60);
  store.fill(orders);
  await store.connect();
  await store.collect();
  const before = await definitions();
  expect(before).toEqual([{ version: 1, status: 'current', timezone: 'Europe/Berlin' }]);
  const zone = { timezone: 'Pacific/Auckland' };
  const patched = await store.owner.patch(`/organizations/${store.organizationId}`, zone);
  expect([patched.status, patched.text]).toEqual([200, expect.anything()]);
  await store.makeDue();
  await store.collect();
  expect(await definitions()).toEqual([{ version: 2, status: 'current', timezone: 'Pacific/Auckland' }]);
  expect(rounded(await store.totals('Pacific/Auckland'))).toEqual(rounded(expectedTotals(orders)));
  expect(rounded(await store.totals('Europe/Berlin'))).toEqual(rounded(expectedTotals(orders)));

  function definitions() {
    return store.rows(
      `select distinct version, recalculation->>'status' as status, body->>'reportingTimezone' as timezone
       from metric_definition where organization_id = $1 and current and body->>'dataset' = 'payments'`,
    );
  }
});

describe('a collection whose process dies', () => {
  const orders = madeOrders(230);

  it('comes to the same totals at whatever boundary it was', async () => {
    store.fill(orders);
    await store.connect();
    const expected = rounded(expectedTotals(orders));
    let boundaries = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await forget();
      const died = await dying(kill);
      boundaries += died ? 1 : 0;
      await store.rows(`update metric_source set lease_expires_at = now() where organization_id = $1`);
      await store.collect();
      expect([kill, rounded(await store.totals())]).toEqual([kill, expected]);
    }
    expect(boundaries).toBeGreaterThan(Math.min(KILLS, 5) - 1);
    if (process.env.KILLS) console.info(`${boundaries} collections killed`);
  }, 300_000);

  /** As before the first collection. */
  async function forget(): Promise<void> {
    for (const table of ['staged', 'collection', 'read', 'block', 'restatement', 'coverage', 'publication', 'series'])
      await store.rows(`delete from metric_${table} where organization_id = $1`);
    await store.rows(
      `update metric_source set due_at = now(), failures = 0, backoff_until = null where organization_id = $1`,
    );
  }

  /** Runs the job until the n-th half of a transaction; nothing of the process happens behind it. */
  async function dying(kill: number): Promise<boolean> {
    const transactions = store.app.app.get(Transactions);
    const through = transactions.through.bind(transactions);
    let half = 0;
    let isDead = false;
    const die = () => {
      half += 1;
      if (half >= kill) isDead = true;
      if (isDead) throw new Error('killed');
    };
    const spy = jest.spyOn(transactions, 'through').mockImplementation(async (access, work) => {
      die();
      const made = await through(access, work);
      die();
      return made;
    });
    try {
      await store.collect();
    } finally {
      spy.mockRestore();
    }
    return isDead;
  }
});

function rounded(totals: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, Number(total).toFixed(2)]));
}
