import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { createWebhook, recordEvents } from '../../support/factories/webhooks.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const EVENTS = 60;
const TESTS = 10;
let replicas: TestApp[];
let owner: Person;

beforeAll(async () => {
  const first = await TestApp.start({ ownDatabase: true });
  replicas = [first, await TestApp.start({ databaseUrl: first.databaseUrl })];
  owner = await first.person();
});
afterAll(() => Promise.all(replicas.map((app) => app.close())));

it('count per webhook without gaps or repeats, whichever replica records and whatever an owner sends by hand', async () => {
  const [first] = replicas;
  const organizationId = await organizationOf(owner);
  const webhook = await createWebhook(owner, organizationId, 'https://hooks.invalid/');
  await recordEvents(first!, organizationId, EVENTS);
  await Promise.all([
    ...replicas.map((app) => app.runJob('outbox')),
    ...Array.from({ length: TESTS }, () => owner.post(`${webhook.at}/test`)),
  ]);
  await until('all are recorded', async () => {
    await first!.runJob('outbox');
    return (await first!.db.query('select from outbox_event')).rowCount === 0;
  });
  const { rows } = await first!.db.query<{ sequence: number; body: string }>(
    'select sequence::int, body from webhook_delivery where webhook_id = $1 order by sequence',
    [webhook.id],
  );
  const all = Array.from({ length: EVENTS + TESTS }, (_, nth) => nth + 1);
  expect(rows.map(({ sequence }) => sequence)).toEqual(all);
  expect(rows.map(({ body }) => JSON.parse(body).sequence)).toEqual(all);
});
