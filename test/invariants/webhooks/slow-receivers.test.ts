import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { createWebhook, recordEvents } from '../../support/factories/webhooks.ts';
import { Receiver } from '../../support/peers/receiver.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const EVENTS = 40;
let receiver: Receiver;
let app: TestApp;
let owner: Person;

beforeAll(async () => {
  receiver = await Receiver.start();
  app = await TestApp.start({ ownDatabase: true, env: { ...receiver.env, ROLE: 'all' } });
  owner = await app.person();
});
afterAll(async () => {
  await app.close();
  receiver.stop();
});

it('delay only themselves: four requests at most are on their way to each, whoever else has to be told', async () => {
  const organizationId = await organizationOf(owner);
  for (const path of ['/silent', '/quick', '/deaf']) await createWebhook(owner, organizationId, receiver.origin + path);
  for (const path of ['/silent', '/deaf']) receiver.answers.set(path, () => undefined);
  await recordEvents(app, organizationId, EVENTS);
  await until('the quick one has all', async () => {
    const { rows } = await app.db.query(`select from webhook_delivery where status = 'delivered'`);
    return rows.length === EVENTS;
  });
  expect([receiver.at('/silent').length, receiver.at('/deaf').length]).toEqual([4, 4]);
  const sequences = receiver.at('/quick').map(({ body }) => JSON.parse(body).sequence as number);
  expect(sequences.toSorted((a, b) => a - b)).toEqual(Array.from({ length: EVENTS }, (_, nth) => nth + 1));

  // Whatever is on its way when a process stops is due again at once.
  await app.close();
  app = await TestApp.start({ databaseUrl: app.databaseUrl, env: receiver.env });
  const { rows } = await app.db.query(
    `select count(*) filter (where lease_token is not null)::int as leased, count(*)::int as open
     from webhook_delivery where status in ('pending', 'failed')`,
  );
  expect(rows).toEqual([{ leased: 0, open: 2 * EVENTS }]);
});
