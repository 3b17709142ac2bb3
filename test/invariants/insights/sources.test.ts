import { expect, it } from '@jest/globals';
import { usePayments } from '../../support/connectors/payments.ts';
import { LIVE_KEY, TEST_KEY } from '../../support/peers/payments-peer.ts';

const { app, place, at, connect, save } = usePayments();

interface Source {
  readonly id: string;
  readonly store: string;
  readonly isDue: boolean;
  readonly paused: string | null;
}

/** Sources of the organization as they stand behind all events. */
async function sources(): Promise<Source[]> {
  await app.runJob('outbox');
  const { rows } = await app.db.query<Source>(
    `select id, environment || ' ' || resource_id as store, due_at is not null as "isDue", paused_reason as paused
     from metric_source where organization_id = $1 order by 2`,
    [place.organizationId],
  );
  return rows;
}

const due = async () => (await sources()).flatMap(({ store, isDue }) => (isDue ? [store] : []));

async function pause(): Promise<void> {
  await app.db.query(`update metric_source set paused_reason = 'access_lost' where organization_id = $1`, [
    place.organizationId,
  ]);
}

it('follow what connectors are verified for, by identity', async () => {
  await connect();
  expect(await sources()).toEqual([]);
  await save({ storeIds: ['1', '3'] });
  expect(await due()).toEqual(['live 1', 'live 3']);
  const first = await sources();

  // A rotated key of the same account; the settings are verified again.
  await connect(LIVE_KEY);
  await save({ storeIds: ['1', '3'] });
  expect((await sources()).map(({ id }) => id)).toEqual(first.map(({ id }) => id));

  await save({ storeIds: ['3'] });
  expect(await due()).toEqual(['live 3']);

  // Test figures are never those of live stores.
  await connect(TEST_KEY);
  expect(await due()).toEqual([]);
  await save({ storeIds: ['1'] });
  expect(await due()).toEqual(['test 1']);
  expect((await sources()).map(({ store }) => store)).toEqual(['live 1', 'live 3', 'test 1']);

  expect((await place.owner.patch(at('/status'), { enabled: false })).status).toBe(200);
  expect(await due()).toEqual([]);
});

it('go on behind a check that passed, and behind whatever moves them', async () => {
  await connect();
  await save({ storeIds: ['1'] });
  await sources();
  await pause();
  expect((await place.owner.post(at('/check'))).status).toBe(200);
  const standing = await sources();
  expect(standing.find(({ store }) => store === 'live 1')).toMatchObject({ paused: null, isDue: true });
});
