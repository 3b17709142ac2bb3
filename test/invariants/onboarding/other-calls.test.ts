import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { claim } from '../../support/factories/work.ts';
import { TestApp } from '../../support/test-app.ts';
import { callAsShown, Estate } from '../../contract/estate.ts';
import { documentOf, operationsOf } from '../../contract/operations.ts';

/** An organization that is being onboarded is read, and changed only in what belongs to its onboarding. */
const app = await TestApp.start({ ownDatabase: true });
afterAll(() => app.close());
const operations = operationsOf(await documentOf(app)).filter(
  ({ ofOrganization, name }) => ofOrganization && name !== 'DELETE /organizations/{organizationId}',
);
const estate = await Estate.make(app, operations);
// What was there before stays there: nothing of it may move.
await app.db.query(`update organization set status = 'onboarding' where id = $1`, [estate.organizationId]);
// Such an organization has no chat but its onboarding's.
await app.db.query('drop index chat_of_onboarding');
await app.db.query('update chat set is_onboarding_chat = true');

const PERMITTED = /\/onboarding(\/|$)|^PATCH \/organizations\/\{organizationId\}$/;
const CODES = new Set(['state_conflict', 'onboarding_chat_immutable', 'attachment_not_allowed']);
/** Ask a provider with a connector's credential, which waits for the end of the onboarding like what is written. */
const ASKS = /\/integrations\/\{integrationRef\}\/(?:resources|web-analytics\/properties)$/;
/** Figures are asked for with a body, and nothing of the organization changes. */
const isRead = (method: string, path: string) =>
  method === 'GET' || method === 'HEAD' || path.endsWith('/insights/query');
const called = (chosen: typeof operations) => chosen.map((operation) => [operation.name, operation] as const);
const ofOwners = operations.filter(({ schemes }) => schemes.includes('ownerToken'));

describe.each(called(ofOwners.filter(({ method, path }) => isRead(method, path) && !ASKS.test(path))))(
  '%s',
  (_name, operation) => {
    it('reads as ever', async () => {
      const { status } = await callAsShown(app, estate, operation);
      expect([200, 204]).toContain(status);
    });
  },
);

describe.each(
  called(
    ofOwners.filter(({ method, name, path }) => (!isRead(method, path) || ASKS.test(path)) && !PERMITTED.test(name)),
  ),
)('%s', (_name, operation) => {
  it('is 409', async () => {
    const { status, body } = await callAsShown(app, estate, operation);
    expect([status, CODES.has(body.error?.code as string)]).toEqual([409, true]);
  });
});

describe.each(called(operations.filter(({ path }) => path.startsWith('/internal/agent/'))))(
  '%s',
  (_name, operation) => {
    it('is closed to executions of before, and to runtimes', async () => {
      const { status } = await callAsShown(app, estate, operation);
      expect([401, 404, 409]).toContain(status);
    });
  },
);

it('has nothing that is claimed', async () => {
  const runs = await claim(app, estate.organizationId);
  expect([runs.status, runs.body.data]).toEqual([200, []]);
  const turns = await app.service.post('/internal/chat-turns/claim', {
    workerId: 'worker',
    bootId: randomUUID(),
    organizationIds: [estate.organizationId],
  });
  expect([turns.status, turns.body.data]).toEqual([200, []]);
});
