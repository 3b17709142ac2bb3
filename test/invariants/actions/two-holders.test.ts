import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import {
  actionRow,
  approved,
  carriedOut,
  idle,
  lapseExecutor,
  postingExecutor,
  proposer,
} from '../../support/factories/posted-actions.ts';
import type { PostingExecutor } from '../../support/factories/posting-executor.ts';
import { useActionReceiver } from '../../support/peers/action-receiver.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

/** Two processes: the first one's executor stands still while the second one has the action. */
const receiver = useActionReceiver();
let app: TestApp;
let other: TestApp;
let slow: PostingExecutor;
let quick: PostingExecutor;
let owner: Person;
let organizationId: string;

beforeAll(async () => {
  app = await TestApp.start({ ownDatabase: true });
  other = await TestApp.start({ databaseUrl: app.databaseUrl });
  [slow, quick] = [postingExecutor(app, receiver), postingExecutor(other, receiver)];
  owner = await app.person();
});
beforeEach(async () => {
  for (const executor of [slow, quick]) executor.reset();
  receiver.reply = { status: 200 };
  organizationId = await organizationOf(owner);
});
afterAll(async () => {
  await other.close();
  await app.close();
});

it('sends nothing from a holder whose lease lapsed before the release, also while another one has it', async () => {
  const gate = Promise.withResolvers<void>();
  const prepared = Promise.withResolvers<void>();
  slow.preparing(() => {
    prepared.resolve();
    return gate.promise;
  });
  const held = Promise.withResolvers<void>();
  quick.preparing(() => held.promise);
  const id = await approved(app, owner, await proposer(app, owner, organizationId));
  await app.runJob('actions-take');
  await prepared.promise;
  const first = (await actionRow(app, id)).executor_token;
  await lapseExecutor(app, id);
  await app.runJob('actions-lapse');
  expect(await actionRow(app, id)).toMatchObject({
    status: 'approved',
    lapses: 1,
    executor_token: null,
    sent_at: null,
  });
  await other.runJob('actions-take');
  await until('the other one has it', async () => (await actionRow(app, id)).status === 'executing');
  // The first one goes on while the second one holds it, and finds no row of its own.
  gate.resolve();
  await idle(app);
  expect(receiver.countOf(id)).toBe(0);
  const second = await actionRow(app, id);
  expect([second.status, second.sent_at, second.executor_token === first]).toEqual(['executing', null, false]);
  held.resolve();
  await until('it is sent', async () => (await actionRow(app, id)).status === 'succeeded');
  expect(receiver.countOf(id)).toBe(1);
});

it('refuses the release of a lapsed lease that no sweep has come by', async () => {
  slow.preparing((action) => lapseExecutor(app, action.id));
  const id = await approved(app, owner, await proposer(app, owner, organizationId));
  await app.runJob('actions-take');
  await idle(app);
  expect([receiver.countOf(id), (await actionRow(app, id)).status]).toEqual([0, 'executing']);
});

it('gives up what was taken and lost four times, without having sent it', async () => {
  slow.preparing(() => Promise.reject(new Error('expected by the test')));
  const id = await approved(app, owner, await proposer(app, owner, organizationId));
  for (let lapse = 1; lapse <= 4; lapse += 1) {
    expect((await actionRow(app, id)).status).toBe('approved');
    await app.runJob('actions-take');
    await idle(app);
    await lapseExecutor(app, id);
    await app.runJob('actions-lapse');
  }
  expect(await actionRow(app, id)).toMatchObject({
    status: 'not_executed',
    error: { code: 'executor_lost' },
    sent_at: null,
  });
  expect(receiver.countOf(id)).toBe(0);
});

it('is taken by one of two processes that look at once', async () => {
  const by = await proposer(app, owner, organizationId);
  for (let round = 0; round < 20; round += 1) {
    const ids = [await approved(app, owner, by), await approved(app, owner, by)];
    await Promise.all([app.runJob('actions-take'), other.runJob('actions-take')]);
    for (const id of ids) {
      await carriedOut(app, id, 'succeeded');
      expect(receiver.countOf(id)).toBe(1);
    }
  }
});
