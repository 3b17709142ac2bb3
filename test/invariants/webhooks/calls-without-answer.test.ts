import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { actionRow, approved, carriedOut, proposer, type Proposer } from '../../support/factories/posted-actions.ts';
import { createWebhook } from '../../support/factories/webhooks.ts';
import { Receiver } from '../../support/peers/receiver.ts';
import { TestApp } from '../../support/test-app.ts';

let receiver: Receiver;
let app: TestApp;
let owner: Person;
let by: Proposer;
let call: object;

beforeAll(async () => {
  receiver = await Receiver.start();
  app = await TestApp.start({ ownDatabase: true, env: receiver.env });
  owner = await app.person();
  const organizationId = await organizationOf(owner);
  by = await proposer(app, owner, organizationId);
  const { id } = await createWebhook(owner, organizationId, `${receiver.origin}/calls`, []);
  call = { kind: 'webhook_call', connectorKey: 'webhooks', toolName: id };
});
afterAll(async () => {
  await app.close();
  receiver.stop();
});

it('says that a call was sent where the connection ended without an answer, and that none was where there was none', async () => {
  receiver.answers.set('/calls', () => 'hang up');
  const read = await approved(app, owner, by, call);
  await carriedOut(app, read, 'reconciliation_required');
  expect(receiver.at('/calls')).toHaveLength(1);
  const message = 'The call was sent, and the connection ended without an answer.';
  expect((await actionRow(app, read)).error).toEqual({ code: 'no_answer', message });
  const { body } = await owner.get(`/organizations/${by.run.organizationId}/human-inbox?status=open`);
  const question = body.data.find(({ actionId }: { actionId: string | null }) => actionId === read);
  expect(question).toMatchObject({ kind: 'reconciliation', body: expect.stringContaining(message) });

  receiver.stop();
  const unsent = await approved(app, owner, by, call);
  await carriedOut(app, unsent, 'not_executed');
  expect((await actionRow(app, unsent)).error).toMatchObject({ code: 'unreachable' });
});
