import type { ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { expectedTotals, madeOrders, useCollectedPayments } from '../../support/connectors/collected-payments.ts';

const store = useCollectedPayments();

const orders = madeOrders(120);

interface Source {
  readonly paused: string | null;
  readonly rests: number | null;
  readonly failures: number;
  readonly rejections: number;
  readonly error: { readonly code: string } | null;
}

async function source(): Promise<Source> {
  const [row] = await store.rows(
    `select paused_reason as paused, extract(epoch from backoff_until - now())::float8 as rests, failures, rejections,
       last_error as error from metric_source where organization_id = $1`,
  );
  return row;
}

/** Answers lists of orders like this; everything else is answered as ever. */
function failing(status: number, headers: Record<string, string> = {}): void {
  store.peer.answering = ({ path }, response: ServerResponse) => {
    if (path !== 'orders') return false;
    response.writeHead(status, { 'content-type': 'application/vnd.api+json', ...headers }).end('{}');
    return true;
  };
}

const refunds = (totals: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(totals).map(([name, total]) => [name, Number(total).toFixed(2)]));

it.each([
  [429, { 'retry-after': '120' }, 'rate_limited', 118],
  [500, {}, 'unavailable', 0],
  [302, { location: 'https://elsewhere.example/' }, 'bad_answer', 0],
])('rests behind a %i, and then reads what it would have', async (status, headers, code, least) => {
  store.fill(orders);
  await store.connect();
  failing(status, headers);
  await store.collect();
  const failed = await source();
  expect(failed).toMatchObject({ paused: null, failures: 1, error: { code } });
  expect(failed.rests).toBeGreaterThan(least - 1);
  expect(failed.rests).toBeLessThan(least + 61);
  expect((await store.totals())['orders.count']).toBeUndefined();

  store.peer.answering = undefined;
  await store.makeDue();
  await store.collect();
  expect(refunds(await store.totals())).toEqual(refunds(expectedTotals(orders)));
  expect(await source()).toMatchObject({ failures: 0, error: null });
});

it('waits for somebody when access is lost, and goes on behind a check that passed', async () => {
  store.fill(orders);
  await store.connect();
  await store.collect();
  const before = await store.totals();
  failing(401);
  await store.makeDue();
  await store.collect();
  expect(await source()).toMatchObject({ paused: 'access_lost', error: { code: 'credential_refused' } });
  expect(await store.totals()).toEqual(before);
  await store.app.runJob('outbox');
  expect(await source()).toMatchObject({ paused: 'access_lost' });

  store.peer.answering = undefined;
  await store.owner.post(store.at('/check'));
  await store.app.runJob('outbox');
  expect(await source()).toMatchObject({ paused: null });
});

it('waits for another configuration behind three refusals in a row', async () => {
  store.fill(orders);
  await store.connect();
  failing(422);
  for (const rejections of [1, 2, 3]) {
    await store.makeDue();
    await store.collect();
    expect(await source()).toMatchObject({ rejections, paused: rejections === 3 ? 'configuration_required' : null });
  }
  expect((await store.totals())['orders.count']).toBeUndefined();
});

it('publishes nothing that was read under other settings', async () => {
  store.fill(orders);
  await store.connect();
  store.peer.answering = async ({ path, query }, response) => {
    if (path !== 'orders' || query.get('page[number]') !== '1') return false;
    store.peer.answering = undefined;
    await store.rows(
      `update integration set collection_generation = collection_generation + 1 where organization_id = $1`,
    );
    response.destroy();
    return true;
  };
  await store.collect();
  await store.makeDue();
  await store.collect();
  const ended = await store.rows(
    `select status, read_key from metric_collection where organization_id = $1 and status <> 'published'`,
  );
  expect(ended).toEqual([{ status: 'abandoned', read_key: 'orders' }]);
  expect(refunds(await store.totals())).toEqual(refunds(expectedTotals(orders)));
});

it('goes on with history where a cap of pages ended it', async () => {
  const many = madeOrders(4_350);
  store.fill(many);
  await store.connect();
  await store.collect();
  expect(refunds(await store.totals())).toEqual(refunds(expectedTotals(many)));
  const history = await store.rows(
    `select count(*)::int as n from metric_collection
     where organization_id = $1 and read_key = 'orders' and purpose = 'history' and status = 'published'`,
  );
  expect(history).toEqual([{ n: 2 }]);
}, 60_000);

it('forgets what is past its time', async () => {
  store.fill(orders);
  await store.connect();
  await store.collect();
  await store.makeDue();
  await store.collect();
  await store.rows(`update metric_publication set at = now() - interval '8 days' where organization_id = $1`);
  await store.rows(`update metric_collection set ended_at = now() - interval '91 days' where organization_id = $1`);
  const before = await store.totals();
  await store.app.runJob('insight-retention');
  expect(await store.totals()).toEqual(before);
  const left = await store.rows(
    `select (select count(*) from metric_block where organization_id = $1 and to_revision is not null)::int as blocks,
       (select count(*) from metric_coverage where organization_id = $1 and to_revision is not null)::int as coverage,
       (select count(*) from metric_collection where organization_id = $1)::int as collections`,
  );
  expect(left).toEqual([{ blocks: 0, coverage: 0, collections: 0 }]);
});
