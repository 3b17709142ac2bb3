import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Secrets } from '../../../src/kernel/secrets/index.ts';
import { organizationOf, type Person } from '../../support/client.ts';
import { createWebhook, type MadeWebhook } from '../../support/factories/webhooks.ts';
import { Receiver, verified } from '../../support/peers/receiver.ts';
import { ENCRYPTION_KEY, TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const NEXT = `next:${randomBytes(32).toString('base64url')}`;
let receiver: Receiver;
let app: TestApp;
let owner: Person;
let webhook: MadeWebhook;

beforeAll(async () => {
  receiver = await Receiver.start();
  app = await TestApp.start({ ownDatabase: true, env: receiver.env });
  owner = await app.person();
  webhook = await createWebhook(owner, await organizationOf(owner), `${receiver.origin}/hook`);
});
afterAll(async () => {
  await app.close();
  receiver.stop();
});

/** Does something in a replica with these keys, and what a start with them says. */
async function withKeys(keys: string, work: (replica: TestApp) => Promise<void> = async () => undefined) {
  // Only a deployment takes the keys of its environment here.
  const replica = await TestApp.start({ databaseUrl: app.databaseUrl, env: { ENCRYPTION_KEYS: keys } });
  try {
    await replica.app.get(Secrets).require();
    await work(replica);
    return 'started';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await replica.close();
  }
}

const keysOf = async () => (await app.db.query('select key_id from webhook_secret')).rows;

it('moves stored secrets to the first key, and refuses keys with which they could not be read', async () => {
  expect(await withKeys(ENCRYPTION_KEY)).toBe('started');
  expect(await withKeys(NEXT)).toMatch(/^ENCRYPTION_KEYS: lacks the key "e1"/);
  const other = `e1:${randomBytes(32).toString('base64url')}`;
  expect(await withKeys(`${NEXT},${other}`)).toMatch(/^ENCRYPTION_KEYS: has another key under the id "e1" than before/);

  expect(await withKeys(`${ENCRYPTION_KEY},${NEXT}`)).toBe('started');
  expect(await keysOf()).toEqual([{ key_id: 'e1' }]);
  expect(await withKeys(`${NEXT},${ENCRYPTION_KEY}`, (replica) => replica.runJob('secrets-rewrap'))).toBe('started');
  expect(await keysOf()).toEqual([{ key_id: 'next' }]);

  expect(
    await withKeys(NEXT, async (replica) => {
      const caller = replica.client(owner.token);
      expect((await caller.post(`${webhook.at}/test`)).status).toBe(202);
    }),
  ).toBe('started');
  // Through a trial, since only those reach local peers; it lacks the key, and says so in the log of deliveries.
  await app.runJob('webhook-deliveries');
  await until('the attempt is noted', async () => {
    const { body } = await owner.get(`${webhook.at}/deliveries`);
    return body.data[0].attempts[0]?.error === 'secret_unreadable';
  });

  expect(await withKeys(`${ENCRYPTION_KEY},${NEXT}`, (replica) => replica.runJob('secrets-rewrap'))).toBe('started');
  await owner.post(`${webhook.at}/test`);
  await app.runJob('webhook-deliveries');
  await until('it arrives', () => receiver.at('/hook').length === 1);
  verified(webhook.secret, receiver.at('/hook')[0]!);
}, 60_000);
