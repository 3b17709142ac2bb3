import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { beforeEach, expect, it } from '@jest/globals';
import { MARCH, ZONE } from '../../support/factories/insights/receipts.ts';
import { CollectedSource } from '../../support/factories/insights/stores.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization({ per: 'test' });
let store: CollectedSource;
const path = (rest: string) => `/organizations/${organization.id}/insights${rest}`;
const QUERY = { ...MARCH, grain: 'day', metrics: [{ key: 'payments.gross_revenue' }], currency: 'JPY' };
/** Of no test but these: rates are of nobody. */
const RATE = { day: '2026-03-02', currency: 'JPY' };

async function published(gross: readonly string[]): Promise<void> {
  await store.publish('orders', {
    ...MARCH,
    series: [{ measure: 'orders.gross', currency: 'EUR', from: MARCH.from, values: gross }],
  });
}

async function rated(revision: number, rate: string): Promise<void> {
  await app.db.query(
    `insert into fx_rate (day, currency, revision, rate, fetched_at) values ($1, $2, $3, $4, now())
     on conflict (day, currency, revision) do update set rate = excluded.rate`,
    [RATE.day, RATE.currency, revision, rate],
  );
}

/** The bytes of `data` in an answer. */
const dataOf = (text: string) => /"data":(\{.*\}),"meta":/s.exec(text)![1]!;

async function asked() {
  const { status, text, body } = await owner.post(path('/query'), { query: QUERY });
  if (status !== 200) throw new Error(text);
  return { data: dataOf(text), answer: body.data };
}

beforeEach(async () => {
  store = await new CollectedSource(app, organization.id, ZONE).open();
  await store.publish('renewals', MARCH);
  await published(['10', '20']);
  await rated(1, '160');
});

it('leaves an answer byte for byte as it was, whatever moves', async () => {
  const { data, answer } = await asked();
  const { digest, receiptId, ...rest } = answer;
  expect(
    createHash('sha256')
      .update(canonicalize({ ...rest, receiptId })!)
      .digest('hex'),
  ).toBe(digest);
  expect(answer.series[0].points[1]).toMatchObject({ value: '20', conversion: { value: '3200' } });
  const again = async () => {
    const { status, text, body } = await owner.get(path(`/receipts/${receiptId}`));
    expect([status, status === 200 ? dataOf(text) : body.error]).toEqual([200, data]);
    return body.meta.restatedAt as string | null;
  };
  expect(await again()).toBeNull();

  await rated(2, '170');
  expect(await again()).toBeNull();
  expect((await asked()).answer.series[0].points[1].conversion.value).toBe('3400');

  await published(['10', '25']);
  expect(await again()).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect((await asked()).answer.series[0].points[1].value).toBe('25');

  await owner.patch(`/organizations/${organization.id}`, { timezone: 'Asia/Tokyo' });
  await again();
  const { answer: moved } = await asked();
  expect(moved.request.metrics[0].version).toBe(2);
  expect(moved.series[0]).toMatchObject({
    timezone: 'Asia/Tokyo',
    points: expect.arrayContaining([expect.objectContaining({ value: null })]),
  });
  const older = await owner.post(path('/query'), {
    query: { ...QUERY, metrics: [{ key: 'payments.gross_revenue', version: 1 }] },
  });
  expect(older.body.data.series[0]).toMatchObject({ timezone: ZONE, metric: { version: 1 } });
  expect(older.body.data.series[0].points[1].value).toBe('25');
  const { body: list } = await owner.get(path('/metrics'));
  expect(list.data.definitionsRevision).toBe(2);
  const definition = list.data.definitions.find(({ key }: { key: string }) => key === 'payments.gross_revenue');
  expect(definition).toMatchObject({ version: 2, recalculation: { status: 'pending', reason: 'timezone_changed' } });

  // A scope without the store: refused while it lasts, and the same bytes once it is back.
  const scope = (resources: string) =>
    app.db.query('update integration set verified_resources = $2::jsonb where id = $1', [
      store.integrationId,
      resources,
    ]);
  const { rows } = await app.db.query<{ was: string }>(
    'select verified_resources::text as was from integration where id = $1',
    [store.integrationId],
  );
  await scope('[]');
  const refused = await owner.get(path(`/receipts/${receiptId}`));
  expect([refused.status, refused.body.error.issues[0].code]).toEqual([409, 'source_unavailable']);
  await scope(rows[0]!.was);
  await again();
});

it('is stored before the answer is sent, so that nobody holds a number without one', async () => {
  const count = async () =>
    Number(
      (
        await app.db.query<{ n: string }>('select count(*) as n from metric_receipt where organization_id = $1', [
          organization.id,
        ])
      ).rows[0]!.n,
    );
  await app.db.query(`alter table metric_receipt add constraint no_room check (digest <> digest) not valid`);
  const { status } = await owner.post(path('/query'), { query: QUERY });
  await app.db.query(`alter table metric_receipt drop constraint no_room`);
  expect([status, await count()]).toEqual([500, 0]);
  await asked();
  expect(await count()).toBe(1);
});
