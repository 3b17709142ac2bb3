import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { createWebhook } from '../../support/factories/webhooks.ts';
import { useOrganization } from '../../support/use-test-app.ts';

const { app, owner, organization } = useOrganization();
const at = () => `/organizations/${organization.id}/webhooks`;
const URL_OF_HOOK = 'https://hooks.acme.example/business-runner?key=1';
const made = (events: string[] = ['task.ended']) => createWebhook(owner, organization.id, URL_OF_HOOK, events);

const subscription = async () =>
  (await app.db.query('select verbs from activity_subscription where organization_id = $1', [organization.id])).rows;

describe('201', () => {
  it('creates a webhook and shows its secret once', async () => {
    const key = randomUUID();
    const body = { url: URL_OF_HOOK, events: ['task.ended', 'run.failed'] };
    const { status, body: answer } = await owner.post(at(), body, { 'idempotency-key': key });
    expect(status).toBe(201);
    const { secret, id, ...rest } = answer.data;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rest).toEqual({
      url: URL_OF_HOOK,
      events: ['task.ended', 'run.failed'],
      status: 'enabled',
      description: '',
      revision: 1,
      disabledReason: null,
      previousSecretExpiresAt: null,
      failingSince: null,
      lastDeliveryAt: null,
      createdAt: expect.any(String),
      updatedAt: rest.createdAt,
    });
    const replay = await owner.post(at(), body, { 'idempotency-key': key });
    expect([replay.status, replay.body.data]).toEqual([201, { ...answer.data, secret: null }]);
    const read = await owner.get(`${at()}/${id}`);
    expect(read.body.data).toEqual({ id, ...rest });
    const { rows } = await app.db.query<{ sealed: Buffer }>(
      'select sealed from webhook_secret where organization_id = $1 and webhook_id = $2',
      [organization.id, id],
    );
    expect(rows).toHaveLength(1);
    const shown = secret.slice('whsec_'.length);
    for (const clear of [shown, Buffer.from(shown, 'base64')]) expect(rows[0]!.sealed.includes(clear)).toBe(false);
  });

  it('listens to what its webhooks are told of, and to nothing without one', async () => {
    const other = await organizationOf(owner);
    const verbs = async () =>
      (await app.db.query('select verbs from activity_subscription where organization_id = $1', [other])).rows;
    expect(await verbs()).toEqual([]);
    const none = await createWebhook(owner, other, URL_OF_HOOK, []);
    expect(await verbs()).toEqual([]);
    await owner.patch(none.at, { events: ['run.failed'] });
    expect(await verbs()).toEqual([{ verbs: ['run.expired', 'run.failed'] }]);
    await owner.patch(none.at, { status: 'disabled' });
    expect(await verbs()).toEqual([]);
    await owner.patch(none.at, { status: 'enabled' });
    expect(await verbs()).toHaveLength(1);
    await owner.delete(none.at);
    expect(await verbs()).toEqual([]);
  });
});

describe('200', () => {
  it('changes what is given, and raises the revision with URL and status only', async () => {
    const webhook = await made();
    const patch = async (body: object) => (await owner.patch(webhook.at, body)).body.data;
    expect(await patch({ description: 'New', events: ['run.failed'] })).toMatchObject({ revision: 1, secret: null });
    expect(await patch({ url: URL_OF_HOOK })).toMatchObject({ revision: 1, events: ['run.failed'] });
    expect(await patch({ url: 'https://other.acme.example/' })).toMatchObject({ revision: 2, status: 'enabled' });
    expect(await patch({ status: 'disabled' })).toMatchObject({ revision: 3, disabledReason: 'owner' });
    expect(await patch({ status: 'disabled' })).toMatchObject({ revision: 3 });
    expect(await patch({ status: 'enabled' })).toMatchObject({ revision: 4, disabledReason: null });
    expect(await subscription()).not.toEqual([]);
    const { body } = await owner.get(`/organizations/${organization.id}/activity?subjectId=${webhook.id}`);
    const entries = body.data.map(({ verb, subject }: { verb: string; subject: object }) => [verb, subject]);
    const verbs = ['enabled', 'disabled', 'updated', 'updated', 'created'];
    // Path and query of its URL may be a secret.
    const subjects = ['other', 'other', 'other', 'hooks', 'hooks'].map((host) => `${host}.acme.example`);
    expect(entries).toEqual(
      verbs.map((verb, nth) => [`webhook.${verb}`, { kind: 'webhook', id: webhook.id, label: subjects[nth] }]),
    );
  });

  it('rotates the secret: the one before goes on signing for a day, older ones are gone', async () => {
    const webhook = await made();
    const rotate = async () => (await owner.patch(webhook.at, { rotateSecret: true })).body.data;
    const [second, third] = [await rotate(), await rotate()];
    expect(new Set([webhook.secret, second.secret, third.secret]).size).toBe(3);
    expect(third.revision).toBe(1);
    const { rows } = await app.db.query(
      `select generation, extract(epoch from expires_at - clock_timestamp()) / 3600 as hours from webhook_secret
       where webhook_id = $1 order by generation`,
      [webhook.id],
    );
    expect(rows).toEqual([
      { generation: 2, hours: expect.anything() },
      { generation: 3, hours: null },
    ]);
    expect(Number(rows[0].hours)).toBeCloseTo(24, 1);
    expect(third.previousSecretExpiresAt).toEqual(expect.any(String));
  });

  it('lists newest first, by status, and not what is deleted', async () => {
    const [first, second, third] = [await made(), await made(), await made()];
    await owner.patch(second.at, { status: 'disabled' });
    expect((await owner.delete(third.at)).status).toBe(200);
    const ids = async (query: string) =>
      (await owner.get(`${at()}?limit=200&${query}`)).body.data.map(({ id }: { id: string }) => id);
    const listed = await ids('');
    expect(listed.indexOf(second.id)).toBeLessThan(listed.indexOf(first.id));
    expect(listed).not.toContain(third.id);
    expect(await ids('status=disabled')).toContain(second.id);
    expect(await ids('status=disabled')).not.toContain(first.id);
    const { rows } = await app.db.query('select from webhook_secret where webhook_id = $1', [third.id]);
    expect(rows).toEqual([]);
  });
});

describe('400', () => {
  const refusal = async (url: string) => (await owner.post(at(), { url, events: [] })).body.error.issues;

  it.each([
    ['not a URL', 'nowhere', 'invalid_url'],
    ['with credentials', 'https://user:password@hooks.acme.example/', 'invalid_url'],
    ['with a fragment', 'https://hooks.acme.example/#part', 'invalid_url'],
    ['with a space before it', ' https://hooks.acme.example/', 'invalid_url'],
    ['with a line feed behind it', 'https://hooks.acme.example/\n', 'invalid_url'],
    ['with a tab within', 'https://hooks.acme\t.example/', 'invalid_url'],
    ['with a control character before it', '\u0001https://hooks.acme.example/', 'invalid_url'],
    ['with a backslash', 'https://hooks.acme.example\\@127.0.0.1/', 'invalid_url'],
    ['in the clear', 'http://hooks.acme.example/', 'not_https'],
    ['on a port of other services', 'https://hooks.acme.example:25/', 'refused_address'],
    ['on a port that none has', 'https://hooks.acme.example:65536/', 'refused_address'],
    ['of this machine', 'https://localhost:8443/', 'refused_address'],
    ['of this machine, by address', 'https://127.0.0.1/', 'refused_address'],
    ['of this machine, by number', 'https://2130706433/', 'refused_address'],
    ['of a private network', 'https://10.0.0.1:8443/', 'refused_address'],
    ['of a private network, in IPv6', 'https://[fd00::1]/', 'refused_address'],
    ['of cloud metadata', 'https://169.254.169.254/latest/', 'refused_address'],
    ['of a mapped address', 'https://[::ffff:10.0.0.1]/', 'refused_address'],
  ])('refuses a URL %s', async (_what, url, code) => {
    expect(await refusal(url)).toEqual([{ path: 'url', code, message: expect.any(String) }]);
  });

  it('refuses a domain that the organization blocks, also in a change', async () => {
    const other = await organizationOf(owner);
    const path = `/organizations/${other}`;
    const { status } = await owner.patch(path, { constraints: { blockedDomains: ['blocked.example'] } });
    expect(status).toBe(200);
    const url = 'https://hooks.blocked.example/';
    const issues = [{ path: 'url', code: 'blocked_domain', message: expect.any(String) }];
    expect((await owner.post(`${path}/webhooks`, { url, events: [] })).body.error.issues).toEqual(issues);
    const webhook = await createWebhook(owner, other, URL_OF_HOOK);
    expect((await owner.patch(webhook.at, { url })).body.error.issues).toEqual(issues);
    expect((await owner.get(webhook.at)).body.data).toMatchObject({ url: URL_OF_HOOK, revision: 1 });
  });

  it('refuses unknown events', async () => {
    const { body } = await owner.post(at(), { url: URL_OF_HOOK, events: ['task.created'] });
    expect(body.error.issues).toMatchObject([{ path: 'events', code: 'invalid_item' }]);
  });
});

describe('401', () => {
  it('refuses a viewer to change something', async () => {
    const webhook = await made();
    const viewer = await app.person();
    await owner.put(`/organizations/${organization.id}/members/${viewer.subject}`, { role: 'viewer' });
    expect((await viewer.get(webhook.at)).status).toBe(200);
    expect((await viewer.patch(webhook.at, { status: 'disabled' })).status).toBe(401);
    expect((await viewer.post(`${webhook.at}/test`)).status).toBe(401);
  });
});

describe('404', () => {
  it('knows none that is unknown, deleted, or of another organization', async () => {
    const gone = await made();
    await owner.delete(gone.at);
    const other = await createWebhook(owner, await organizationOf(owner), URL_OF_HOOK);
    for (const id of [randomUUID(), gone.id, other.id]) {
      const answers = [
        await owner.get(`${at()}/${id}`),
        await owner.patch(`${at()}/${id}`, { description: 'x' }),
        await owner.delete(`${at()}/${id}`),
        await owner.get(`${at()}/${id}/deliveries`),
        await owner.post(`${at()}/${id}/test`),
        await owner.post(`${at()}/${id}/deliveries/${randomUUID()}/redeliver`),
      ];
      expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
        answers.map(() => [404, 'not_found']),
      );
    }
  });
});

describe('409', () => {
  it('refuses one more than twenty, also at once', async () => {
    const other = await organizationOf(owner);
    const answers = await Promise.all(
      Array.from({ length: 24 }, () =>
        owner.post(`/organizations/${other}/webhooks`, { url: URL_OF_HOOK, events: [] }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), ...Array.from({ length: 4 }, () => 409)]);
    expect(answers.find(({ status }) => status === 409)!.text).toContain('20 webhooks');
  });
});
