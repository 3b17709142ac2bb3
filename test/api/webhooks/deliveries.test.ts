import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf, type Person } from '../../support/client.ts';
import { createTask } from '../../support/factories/tasks.ts';
import { createWebhook, type MadeWebhook, recordEvents } from '../../support/factories/webhooks.ts';
import { Receiver, verified } from '../../support/peers/receiver.ts';
import { TestApp } from '../../support/test-app.ts';
import { until } from '../../support/until.ts';

let receiver: Receiver;
let app: TestApp;
let owner: Person;

beforeAll(async () => {
  receiver = await Receiver.start();
  app = await TestApp.start({ ownDatabase: true, env: receiver.env });
  owner = await app.person();
});
afterAll(async () => {
  await app.close();
  receiver.stop();
});

/** A webhook at a path of its own, which the receiver answers so. */
async function hook(answer?: Parameters<Receiver['answers']['set']>[1]) {
  const organizationId = await organizationOf(owner);
  const path = `/${randomUUID()}`;
  if (answer) receiver.answers.set(path, answer);
  const webhook = await createWebhook(owner, organizationId, receiver.origin + path);
  return { ...webhook, organizationId, path };
}

async function deliveries({ at }: MadeWebhook, query = '') {
  return (await owner.get(`${at}/deliveries?limit=200&${query}`)).body.data;
}

/** Makes deliveries of what happened, and tries those that are due until all of these have had that many attempts. */
async function deliver(webhook: MadeWebhook, attempts = 1) {
  await app.runJob('outbox');
  await app.runJob('webhook-deliveries');
  let found = await deliveries(webhook);
  await until('the attempts have ended', async () => {
    found = await deliveries(webhook);
    const isDone = ({ attempts: made, reason }: { attempts: object[]; reason: string | null }) =>
      reason === 'webhook_disabled' || made.length >= attempts;
    return found.length > 0 && found.every(isDone);
  });
  return found;
}

/** Lets the time of the next attempt, or more, have come. */
const pass = (webhook: MadeWebhook) =>
  app.db.query(
    'update webhook_delivery set next_attempt_at = clock_timestamp() where webhook_id = $1 and next_attempt_at is not null',
    [webhook.id],
  );

describe('200', () => {
  it('delivers the end of a task, signed, thin, and numbered', async () => {
    const webhook = await hook();
    const { id, identifier } = await createTask(owner, webhook.organizationId);
    await owner.post(`/organizations/${webhook.organizationId}/tasks/${id}/cancel`);
    const [delivery] = await deliver(webhook);
    expect(delivery).toMatchObject({
      webhookId: webhook.id,
      event: 'task.ended',
      sequence: 1,
      status: 'delivered',
      reason: null,
      attempts: [{ at: expect.any(String), status: 204, error: null, latencyMs: expect.any(Number) }],
      nextAttemptAt: null,
      redeliveryOf: null,
    });
    const [request] = receiver.at(webhook.path);
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'webhook-id': delivery.eventId,
    });
    expect(verified(webhook.secret, request!)).toEqual({
      type: 'task.ended',
      timestamp: expect.any(String),
      sequence: 1,
      data: {
        organizationId: webhook.organizationId,
        verb: 'task.cancelled',
        subject: { kind: 'task', id, label: expect.stringContaining(identifier) },
        actor: { kind: 'owner', id: owner.subject, name: expect.any(String) },
        details: { code: 'cancelled' },
      },
    });
    expect(() => verified('whsec_' + Buffer.alloc(32, 1).toString('base64'), request!)).toThrow();
    const { body } = await owner.get(webhook.at);
    expect(body.data).toMatchObject({ lastDeliveryAt: expect.any(String), failingSince: null });
  });

  it('signs with both secrets for a day after a rotation', async () => {
    const webhook = await hook();
    const { body } = await owner.patch(webhook.at, { rotateSecret: true });
    await recordEvents(app, webhook.organizationId);
    await deliver(webhook);
    const [request] = receiver.at(webhook.path);
    expect(String(request!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    for (const secret of [webhook.secret, body.data.secret]) verified(secret, request!);
    await app.db.query('update webhook_secret set expires_at = clock_timestamp() where generation = 1');
    await recordEvents(app, webhook.organizationId);
    await deliver(webhook);
    const last = receiver.at(webhook.path)[1]!;
    expect(() => verified(webhook.secret, last)).toThrow();
    verified(body.data.secret, last);
  });

  it('tries again with the same id and bytes, and waits as long as the receiver asks for', async () => {
    let failures = 2;
    const webhook = await hook(() => {
      failures -= 1;
      if (failures < 0) return 200;
      return { status: 503, headers: { 'retry-after': '7200' } };
    });
    await recordEvents(app, webhook.organizationId);
    const [failed] = await deliver(webhook);
    expect(failed).toMatchObject({ status: 'failed', attempts: [{ status: 503 }] });
    const waits = Date.parse(failed.nextAttemptAt) - Date.parse(failed.attempts[0].at);
    expect(waits / 60_000).toBeCloseTo(120, 0);
    expect((await owner.get(webhook.at)).body.data.failingSince).toEqual(expect.any(String));
    await app.runJob('webhook-deliveries');
    expect(receiver.at(webhook.path)).toHaveLength(1);
    for (const attempt of [2, 3]) {
      await pass(webhook);
      await deliver(webhook, attempt);
    }
    const requests = receiver.at(webhook.path);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(await deliveries(webhook)).toMatchObject([
      { status: 'delivered', attempts: [{ status: 503 }, { status: 503 }, { status: 200 }] },
    ]);
    expect((await owner.get(webhook.at)).body.data.failingSince).toBeNull();
  });

  it('gives a delivery up with its eleventh attempt', async () => {
    const webhook = await hook(() => 500);
    await recordEvents(app, webhook.organizationId);
    await deliver(webhook);
    await app.db.query('update webhook_delivery set attempt_count = 10 where webhook_id = $1', [webhook.id]);
    await pass(webhook);
    expect(await deliver(webhook, 2)).toMatchObject([
      { status: 'dead', reason: 'attempts_exhausted', nextAttemptAt: null },
    ]);
  });

  it('follows no redirect, and names what came instead of an answer', async () => {
    const moved = await hook(() => ({ status: 307, headers: { location: `${receiver.origin}/elsewhere` } }));
    await recordEvents(app, moved.organizationId);
    expect(await deliver(moved)).toMatchObject([{ status: 'failed', attempts: [{ status: 307 }] }]);
    expect(receiver.at('/elsewhere')).toEqual([]);

    // What an owner named as a public host may resolve to this machine later.
    const inside = await hook();
    await app.db.query(`update webhook set url = 'https://127.0.0.1:8443/' where id = $1`, [inside.id]);
    await recordEvents(app, inside.organizationId);
    expect(await deliver(inside)).toMatchObject([{ attempts: [{ status: null, error: 'refused_address' }] }]);
    await app.db.query(`update organization set blocked_domains = '{localhost}' where id = $1`, [
      inside.organizationId,
    ]);
    await app.db.query(`update webhook set url = $2 where id = $1`, [inside.id, `${receiver.origin}${inside.path}`]);
    await pass(inside);
    expect(await deliver(inside, 2)).toMatchObject([
      { attempts: [{ error: 'refused_address' }, { status: null, error: 'blocked_domain' }] },
    ]);
    expect(receiver.at(inside.path)).toEqual([]);
  });

  it('disables a webhook that is gone; what happens in the next days is recorded and can be sent later', async () => {
    const webhook = await hook(() => 410);
    await recordEvents(app, webhook.organizationId, 3);
    const found = await deliver(webhook);
    expect(found.every(({ status }: { status: string }) => status === 'dead')).toBe(true);
    expect((await owner.get(webhook.at)).body.data).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      revision: 2,
    });
    await recordEvents(app, webhook.organizationId);
    await app.runJob('outbox');
    const [late] = await deliveries(webhook);
    expect(late).toMatchObject({ sequence: 4, status: 'dead', reason: 'webhook_disabled', attempts: [] });
    receiver.answers.delete(webhook.path);
    await owner.patch(webhook.at, { status: 'enabled' });
    const { status, body } = await owner.post(`${webhook.at}/deliveries/${late.id}/redeliver`);
    expect([status, body.data.redeliveryOf]).toEqual([202, late.id]);
    await app.runJob('webhook-deliveries');
    await until('it is delivered', async () => (await deliveries(webhook, 'status=delivered')).length === 1);
    expect(verified(webhook.secret, receiver.at(webhook.path).at(-1)!)).toMatchObject({ sequence: 4 });
    expect(receiver.at(webhook.path).at(-1)!.headers['webhook-id']).toBe(late.eventId);

    // Not what happens more than three days behind it.
    receiver.answers.set(webhook.path, () => 410);
    await recordEvents(app, webhook.organizationId);
    await deliver(webhook);
    await app.db.query(`update webhook set disabled_at = disabled_at - interval '73 hours' where id = $1`, [
      webhook.id,
    ]);
    const before = (await deliveries(webhook)).length;
    await recordEvents(app, webhook.organizationId);
    await app.runJob('outbox');
    expect(await deliveries(webhook)).toHaveLength(before);
  });

  it('disables a webhook that fails for five days and twenty attempts, and not before', async () => {
    const webhook = await hook(() => 500);
    const failing = (hours: number, failures: number) =>
      app.db.query(
        `update webhook set failing_since = clock_timestamp() - $2 * interval '1 hour', failures = $3 where id = $1`,
        [webhook.id, hours, failures],
      );
    await recordEvents(app, webhook.organizationId);
    for (const [hours, failures, status] of [
      [119, 100, 'enabled'],
      [121, 18, 'enabled'],
      [121, 19, 'disabled'],
    ] as const) {
      await failing(hours, failures);
      await pass(webhook);
      await app.runJob('outbox');
      await app.runJob('webhook-deliveries');
      await until('the attempt counts', async () => {
        const { rows } = await app.db.query('select failures from webhook where id = $1', [webhook.id]);
        return rows[0].failures === failures + 1;
      });
      expect((await owner.get(webhook.at)).body.data.status).toBe(status);
    }
    expect((await owner.get(webhook.at)).body.data.disabledReason).toBe('failing');
    expect(await deliveries(webhook)).toMatchObject([{ status: 'dead', reason: 'webhook_disabled' }]);
  });

  it('tells people of a webhook that fails for a day, once, until it answers again', async () => {
    const webhook = await hook(() => 500);
    const notices = async () =>
      (await owner.get(`/organizations/${webhook.organizationId}/human-inbox?kind=notification`)).body.data.map(
        ({ status, title }: { status: string; title: string }) => [status, title],
      );
    await recordEvents(app, webhook.organizationId);
    await deliver(webhook);
    expect(await notices()).toEqual([]);
    await app.db.query(`update webhook set failing_since = clock_timestamp() - interval '25 hours' where id = $1`, [
      webhook.id,
    ]);
    for (const attempt of [2, 3]) {
      await pass(webhook);
      await deliver(webhook, attempt);
    }
    const title = expect.stringContaining('localhost');
    expect(await notices()).toEqual([['open', title]]);
    receiver.answers.delete(webhook.path);
    await pass(webhook);
    await deliver(webhook, 4);
    expect(await notices()).toEqual([['withdrawn', title]]);
  });

  it('ends what is open when an owner disables it, and records nothing from then on', async () => {
    const webhook = await hook(() => 500);
    await recordEvents(app, webhook.organizationId);
    await deliver(webhook);
    await owner.patch(webhook.at, { status: 'disabled' });
    await recordEvents(app, webhook.organizationId);
    await app.runJob('outbox');
    expect(await deliveries(webhook)).toMatchObject([{ sequence: 1, status: 'dead', reason: 'webhook_disabled' }]);
  });

  it('lists by status, event and time, page by page', async () => {
    const webhook = await hook();
    await recordEvents(app, webhook.organizationId, 3);
    await deliver(webhook);
    await owner.post(`${webhook.at}/test`);
    const sequences = async (query: string) =>
      (await deliveries(webhook, query)).map(({ sequence }: { sequence: number }) => sequence);
    expect(await sequences('')).toEqual([4, 3, 2, 1]);
    expect(await sequences('order=asc')).toEqual([1, 2, 3, 4]);
    expect(await sequences('event=webhook.test')).toEqual([4]);
    expect(await sequences('status=delivered&event=task.ended')).toEqual([3, 2, 1]);
    expect(await sequences('status=dead&status=pending')).toEqual([4]);
    const [newest] = await deliveries(webhook);
    expect(await sequences(`createdBefore=${newest.createdAt}`)).toEqual([3, 2, 1]);
    const first = await owner.get(`${webhook.at}/deliveries?limit=3`);
    const next = await owner.get(
      `${webhook.at}/deliveries?limit=3&cursor=${encodeURIComponent(first.body.pagination.nextCursor)}`,
    );
    expect(next.body.data).toMatchObject([{ sequence: 1 }]);
  });

  it('forgets deliveries after a month, and what a deleted webhook leaves', async () => {
    const [old, gone] = [await hook(), await hook()];
    for (const webhook of [old, gone]) {
      await recordEvents(app, webhook.organizationId, 2);
      await deliver(webhook);
    }
    await app.db.query(
      `update webhook_delivery set created_at = clock_timestamp() - interval '31 days' where webhook_id = $1 and sequence = 1`,
      [old.id],
    );
    await owner.delete(gone.at);
    await app.runJob('webhook-retention');
    expect(await deliveries(old)).toMatchObject([{ sequence: 2 }]);
    const { rows } = await app.db.query('select id from webhook where id = any($1)', [[old.id, gone.id]]);
    expect(rows).toEqual([{ id: old.id }]);
  });
});

describe('202', () => {
  it('sends a test in one attempt, also to a disabled one', async () => {
    const webhook = await hook(() => 500);
    await owner.patch(webhook.at, { status: 'disabled' });
    const { status, body } = await owner.post(`${webhook.at}/test`);
    expect([status, body.data]).toMatchObject([202, { event: 'webhook.test', sequence: 1, status: 'pending' }]);
    expect(await deliver(webhook)).toMatchObject([
      { status: 'dead', reason: 'attempts_exhausted', attempts: [{ status: 500 }] },
    ]);
    expect(verified(webhook.secret, receiver.at(webhook.path)[0]!)).toMatchObject({
      type: 'webhook.test',
      data: { verb: 'webhook.test', subject: { kind: 'webhook', id: webhook.id } },
    });
    expect((await owner.get(webhook.at)).body.data).toMatchObject({ failingSince: null });
  });

  it('sends a test and a redelivery once per key', async () => {
    const webhook = await hook();
    const headers = { 'idempotency-key': randomUUID() };
    const [first, replay] = [
      await owner.post(`${webhook.at}/test`, undefined, headers),
      await owner.post(`${webhook.at}/test`, undefined, headers),
    ];
    expect(replay.body.data).toEqual(first.body.data);
    expect(await deliveries(webhook)).toHaveLength(1);
  });
});

describe('404', () => {
  it('redelivers nothing of another webhook', async () => {
    const [one, other] = [await hook(), await hook()];
    await recordEvents(app, one.organizationId);
    const [delivery] = await deliver(one);
    const { status, body } = await owner.post(`${other.at}/deliveries/${delivery.id}/redeliver`);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });
});

describe('409', () => {
  it('redelivers nothing to a disabled one', async () => {
    const webhook = await hook();
    await recordEvents(app, webhook.organizationId);
    const [delivery] = await deliver(webhook);
    await owner.patch(webhook.at, { status: 'disabled' });
    const { status, body } = await owner.post(`${webhook.at}/deliveries/${delivery.id}/redeliver`);
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });
});
