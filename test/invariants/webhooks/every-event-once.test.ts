import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { createWebhook, type MadeWebhook, recordEvents } from '../../support/factories/webhooks.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const EVENTS = 600;
const KILLS = 2;

let app: TestApp;
let other: TestApp;
let owner: Person;
let organizationId: string;
let webhooks: MadeWebhook[];

beforeAll(async () => {
  app = await TestApp.start({ ownDatabase: true });
  other = await TestApp.start({ databaseUrl: app.databaseUrl });
  owner = await app.person();
  organizationId = await organizationOf(owner);
  // Nothing of this machine has this name, so each attempt fails at once.
  const url = 'https://hooks.invalid/';
  webhooks = [await createWebhook(owner, organizationId, url), await createWebhook(owner, organizationId, url)];
});
afterAll(async () => {
  await ServiceProcess.killAll();
  await other.close();
  await app.close();
});

const left = async () =>
  (await app.db.query('select count(*)::int as count from outbox_event')).rows[0].count as number;

async function sequencesOf(webhook: MadeWebhook) {
  const { rows } = await app.db.query<{ sequence: number; event_id: string }>(
    'select sequence::int, event_id from webhook_delivery where webhook_id = $1 order by sequence',
    [webhook.id],
  );
  return rows;
}

it('becomes one delivery for each webhook, numbered without gaps, although processes are killed on the way', async () => {
  const recorded = await recordEvents(app, organizationId, EVENTS);
  const env = onDatabase(app.databaseUrl, { ROLE: 'worker' });
  let caught = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await left();
    const worker = await ServiceProcess.start({ env });
    await until('it is at work', async () => (await left()) < before);
    await wait(Math.random() * 50);
    await worker.kill();
    if ((await left()) > 0) caught += 1;
  }
  // Two at once do the rest.
  await until('all are handled', async () => {
    await Promise.all([app.runJob('outbox'), other.runJob('outbox')]);
    return (await left()) === 0;
  });
  expect(caught).toBe(KILLS);
  for (const webhook of webhooks) {
    const found = await sequencesOf(webhook);
    expect(found.map(({ sequence }) => sequence)).toEqual(Array.from({ length: EVENTS }, (_, nth) => nth + 1));
    expect(new Set(found.map(({ event_id }) => event_id))).toEqual(new Set(recorded));
  }
}, 120_000);

it('stays where a release does not know its kind', async () => {
  const id = randomUUID();
  await app.db.query(
    `insert into outbox_event (organization_id, kind, id, payload, recorded_at)
     values ($1, 'of_the_future', $2, '{}', clock_timestamp())`,
    [organizationId, id],
  );
  await app.runJob('outbox');
  await app.runJob('outbox-forget');
  expect((await app.db.query('select from outbox_event where id = $1', [id])).rowCount).toBe(1);
  await app.db.query(`update outbox_event set recorded_at = recorded_at - interval '8 days' where id = $1`, [id]);
  await app.runJob('outbox-forget');
  expect((await app.db.query('select from outbox_event where id = $1', [id])).rowCount).toBe(0);
});
