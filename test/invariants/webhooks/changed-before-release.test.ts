import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import {
  actionRow,
  approved,
  carriedOut,
  idle,
  propose,
  proposer,
  type Proposer,
} from '../../support/factories/posted-actions.ts';
import { createWebhook, type MadeWebhook } from '../../support/factories/webhooks.ts';
import { Receiver, verified } from '../../support/peers/receiver.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

const ROUNDS = 100;
const RACES = 10;
/** As many as one organization's executors carry out at once. */
const AT_ONCE = 4;

let receiver: Receiver;
let app: TestApp;
let owner: Person;
let by: Proposer;
let webhook: MadeWebhook;
let calls: { readonly kind: string; readonly connectorKey: string; readonly toolName: string };

beforeAll(async () => {
  receiver = await Receiver.start();
  app = await TestApp.start({ ownDatabase: true, env: receiver.env });
  owner = await app.person();
  const organizationId = await organizationOf(owner);
  by = await proposer(app, owner, organizationId);
  // No test of this file is about its lease.
  await app.db.query(`update run set lease_expires_at = now() + interval '1 hour' where id = $1`, [by.run.runId]);
  webhook = await createWebhook(owner, organizationId, `${receiver.origin}/old?key=1`, []);
  calls = { kind: 'webhook_call', connectorKey: 'webhooks', toolName: webhook.id };
});
afterAll(async () => {
  await app.close();
  receiver.stop();
});

const called = (id: string) => receiver.received.filter(({ headers }) => headers['webhook-id'] === id);

describe('a webhook that an approved action calls', () => {
  it('gets the approved arguments once, signed, under the id of the action', async () => {
    const id = await approved(app, owner, by, { ...calls, arguments: { amount: 100, to: 'Ada' } });
    await carriedOut(app, id, 'succeeded');
    const [request, ...others] = called(id);
    expect(others).toEqual([]);
    const { reference, preview } = await actionRow(app, id);
    expect(verified(webhook.secret, request!)).toEqual({
      type: 'action.call',
      timestamp: expect.any(String),
      data: { actionId: id, reference, taskId: by.run.taskId, arguments: { amount: 100, to: 'Ada' } },
    });
    // Path and query of its URL may be a secret.
    expect(preview).toContain(receiver.origin);
    expect(preview).not.toContain('key=1');
  });

  it('is called by nobody that names another, or one that is disabled', async () => {
    await owner.patch(webhook.at, { status: 'disabled' });
    for (const toolName of [webhook.id, 'a-webhook', by.chatId]) {
      const { status, body } = await propose(app, by, { ...calls, toolName });
      expect([status, body.error.issues]).toMatchObject([400, [{ path: 'toolName', code: 'unknown_reference' }]]);
    }
    await owner.patch(webhook.at, { status: 'enabled' });
  });

  it('gets nothing that was approved before an acknowledged change, at either address', async () => {
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const ids = await Promise.all(Array.from({ length: AT_ONCE }, () => approved(app, owner, by, calls)));
      const change = round % 8 === 0 ? { url: `${receiver.origin}/new-${round}` } : { status: 'disabled' };
      expect((await owner.patch(webhook.at, change)).status).toBe(200);
      await app.runJob('actions-take');
      await until('they have ended', async () => {
        const rows = await Promise.all(ids.map((id) => actionRow(app, id)));
        return rows.every(({ status }) => status === 'expired');
      });
      for (const id of ids) {
        expect(called(id)).toEqual([]);
        expect((await actionRow(app, id)).error).toMatchObject({ code: 'fact_changed', fact: 'webhook' });
      }
      await owner.patch(webhook.at, { status: 'enabled', url: `${receiver.origin}/old?key=1` });
    }
  }, 120_000);

  it('gets at its old address, or not at all, what is released while its URL changes', async () => {
    for (let round = 0; round < RACES; round += 1) {
      const ids = await Promise.all(Array.from({ length: AT_ONCE }, () => approved(app, owner, by, calls)));
      await Promise.all([
        app.runJob('actions-take'),
        owner.patch(webhook.at, { url: `${receiver.origin}/next-${round}` }),
      ]);
      await until('they have ended', async () => {
        await app.runJob('actions-take');
        const rows = await Promise.all(ids.map((id) => actionRow(app, id)));
        return rows.every(({ status }) => status === 'expired' || status === 'succeeded');
      });
      for (const id of ids) {
        const { status } = await actionRow(app, id);
        expect(called(id).map(({ path }) => path)).toEqual(status === 'succeeded' ? ['/old?key=1'] : []);
      }
      await idle(app);
      await owner.patch(webhook.at, { url: `${receiver.origin}/old?key=1` });
    }
  }, 120_000);

  it('gets what was approved before a change of its events, description or secret', async () => {
    const id = await approved(app, owner, by, calls);
    await owner.patch(webhook.at, { description: 'Another description', rotateSecret: true, events: ['run.failed'] });
    await carriedOut(app, id, 'succeeded');
    expect(called(id)).toHaveLength(1);
  });
});
