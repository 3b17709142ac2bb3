import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import type { TestApp } from '../../support/test-app.ts';
import { type ClaimedTurn, claimTurns, onTurn, waitingTurns } from '../../support/factories/turns.ts';
import { meetAtLock } from '../../support/database/waiting-calls.ts';
import { useTestApp } from '../../support/use-test-app.ts';

/** Two processes of a deployment. */
const app = useTestApp();
const other = useTestApp();
let organizationId: string;

beforeEach(async () => {
  organizationId = await organizationOf(await app.person());
});

const live = async () =>
  (
    await app.db.query(`select id from message where organization_id = $1 and leased order by id`, [organizationId])
  ).rows.map(({ id }) => id as string);
const claimed = (answers: { body: { data: ClaimedTurn[] } }[]) => answers.flatMap(({ body }) => body.data);
const claim = (on: TestApp, limit: number) => claimTurns(on, organizationId, { workerId: randomUUID(), limit });

it('at most 20 turns of an organization are live at once, whoever claims at the same time', async () => {
  await waitingTurns(app, organizationId, 30);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, nth) => claim(nth % 2 === 0 ? app : other, 5)));
  const ids = claimed(answers).map(({ turnId }) => turnId);
  expect(ids.toSorted()).toEqual(await live());
  expect(ids).toHaveLength(20);
  expect((await claim(app, 5)).body.data).toEqual([]);
});

it('two claims that counted without each other do not go beyond it, and what the second gives back is as it was', async () => {
  await waitingTurns(app, organizationId, 30);
  const lock = {
    sql: `select pg_advisory_xact_lock(hashtextextended('chat turns ' || $1::uuid, 0))`,
    values: [organizationId],
  };
  const before = await app.db.query(`select * from message where organization_id = $1 order by id`, [organizationId]);
  const answers = await meetAtLock(app, lock, [() => claim(app, 15), () => claim(other, 15)]);
  const turns = claimed(answers);
  expect(turns.map(({ turnId }) => turnId).toSorted()).toEqual(await live());
  expect(turns).toHaveLength(20);
  const after = await app.db.query(`select * from message where organization_id = $1 order by id`, [organizationId]);
  for (const [place, row] of after.rows.entries()) {
    if (row.leased) continue;
    const {
      generation: _,
      heartbeat_at: _beat,
      capability_expires_at: _until,
      authorization_epoch: _epoch,
      catalog_revision: _revision,
      ...rest
    } = row;
    expect(before.rows[place]).toMatchObject(rest);
  }
  for (const turn of turns) expect((await onTurn(app, turn, 'heartbeat')).status).toBe(200);
});

it('a place is free again when a turn ends', async () => {
  await waitingTurns(app, organizationId, 21);
  const first = await claim(app, 20);
  expect(first.body.data).toHaveLength(20);
  expect((await claim(app, 1)).body.data).toEqual([]);
  await onTurn(app, first.body.data[0], 'complete');
  expect((await claim(app, 5)).body.data).toHaveLength(1);
});
