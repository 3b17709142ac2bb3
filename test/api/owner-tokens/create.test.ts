import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Answer, type Client, organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);

const create = (body: object, client: Client = owner, key?: string) =>
  client.post('/owner-tokens', { name: 'laptop', ...body }, key ? { 'idempotency-key': key } : {});
const later = (hours: number) => Temporal.Now.instant().add({ hours }).toString({ fractionalSecondDigits: 6 });

/** The owner, with a token that is limited so. */
async function limited(limits: object): Promise<Client> {
  return app.client((await create(limits)).body.data.token);
}

/** A person whose only token expires then. */
async function mortal(expiresAt: string): Promise<Client & { subject: string }> {
  const { body } = await create({ expiresAt }, app.bootstrap);
  return Object.assign(app.client(body.data.token), { subject: body.data.subject as string });
}

function expectIssue({ status, body }: Answer, path: string, code: string): void {
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path, code }] });
}

describe('POST /owner-tokens: 201', () => {
  it('makes a token for the caller, shown once', async () => {
    const { status, body } = await create({ name: 'Telefon 📱' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Telefon 📱',
      subject: owner.subject,
      prefix: body.data.token.slice(0, 12),
      organizationIds: null,
      scopes: ['read', 'work', 'decide', 'settings'],
      createdAt: expect.stringMatching(/\.\d{6}Z$/),
      expiresAt: null,
      lastUsedAt: null,
      token: expect.stringMatching(/^brt_[A-Za-z0-9_-]{43}$/),
    });
    const listed = await app.client(body.data.token).get('/owner-tokens');
    expect(listed.status).toBe(200);
    expect(listed.text).not.toContain(body.data.token);
    const { rows } = await app.db.query('select from owner_token t where t::text like $1', [`%${body.data.token}%`]);
    expect(rows).toEqual([]);
  });

  it('makes a new person with the bootstrap token, unless it names somebody', async () => {
    const [one, other] = [await create({}, app.bootstrap), await create({}, app.bootstrap)];
    expect(one.body.data.subject).toMatch(/^token:[0-9a-f-]{36}$/);
    expect(one.body.data.subject).not.toBe(other.body.data.subject);
    for (const subject of [owner.subject, 'oidc:https://login.example/|user/7']) {
      const { body } = await create({ subject }, app.bootstrap);
      expect(body.data.subject).toBe(subject);
      const listed = await app.client(body.data.token).get('/owner-tokens');
      expect(listed.body.data[0]).toMatchObject({ id: body.data.id, subject });
    }
  });

  it('expires when its maker said', async () => {
    const { body } = await create({ expiresAt: '2999-01-01T02:00:00.000001+02:00' });
    expect(body.data.expiresAt).toBe('2999-01-01T00:00:00.000001Z');
  });

  it('inherits the end of its maker, and may come before it', async () => {
    const end = later(2);
    const person = await mortal(end);
    const inherited = await create({}, person);
    expect(inherited.body.data).toMatchObject({ subject: person.subject, expiresAt: end });
    expect((await create({ expiresAt: end }, person)).body.data.expiresAt).toBe(end);
    const earlier = later(1);
    expect((await create({ expiresAt: earlier }, person)).body.data.expiresAt).toBe(earlier);
    expect((await create({}, app.client(inherited.body.data.token))).body.data.expiresAt).toBe(end);
  });

  it('is limited as its maker said, and shown so', async () => {
    const organizationId = await organizationOf(owner);
    const limits = { scopes: ['work', 'read'], organizationIds: [organizationId.toUpperCase(), organizationId] };
    const { body } = await create(limits);
    const shown = { scopes: ['read', 'work'], organizationIds: [organizationId] };
    expect(body.data).toMatchObject(shown);
    expect((await app.client(body.data.token).get('/owner-tokens')).body.data[0]).toMatchObject(shown);
    const { body: given } = await create({ subject: owner.subject, scopes: ['decide'] }, app.bootstrap);
    expect(given.data).toMatchObject({ scopes: ['decide'], organizationIds: null });
  });

  it('inherits the limits of its maker, and may have narrower ones', async () => {
    const [here, there] = [await organizationOf(owner), await organizationOf(owner)];
    const limits = { scopes: ['read', 'settings'], organizationIds: [here, there] };
    const maker = await limited(limits);
    expect((await create({}, maker)).body.data).toMatchObject(limits);
    const narrower = { scopes: ['read'], organizationIds: [there] };
    expect((await create(narrower, maker)).body.data).toMatchObject(narrower);
  });

  it('answers a repeat without the token', async () => {
    const key = randomUUID();
    const first = await create({}, owner, key);
    const again = await create({}, owner, key);
    expect(again.status).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body.data).toEqual({ ...first.body.data, token: null });
    expect(again.body.meta.requestId).not.toBe(first.body.meta.requestId);
    const { rows } = await app.db.query('select from idempotency_key k where k::text like $1', [
      `%${first.body.data.token}%`,
    ]);
    expect(rows).toEqual([]);
  });

  it('makes one token of two simultaneous requests with one key', async () => {
    const key = randomUUID();
    const answers = await Promise.all([create({}, owner, key), create({}, owner, key)]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.data.token !== null)).toHaveLength(1);
  });

  it('keeps keys of different people apart', async () => {
    const key = randomUUID();
    const mine = await create({}, owner, key);
    const theirs = await create({}, await app.person(), key);
    expect(theirs.headers['idempotent-replayed']).toBeUndefined();
    expect(theirs.body.data.id).not.toBe(mine.body.data.id);
  });
});

describe('POST /owner-tokens: 400', () => {
  it.each<[object, string, string]>([
    [{ name: undefined }, 'name', 'required'],
    [{ name: '' }, 'name', 'invalid_length'],
    [{ name: '🦊'.repeat(101) }, 'name', 'invalid_length'],
    [{ expiresAt: 5 }, 'expiresAt', 'wrong_type'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt', 'invalid_timestamp'],
    [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'not_in_future'],
    [{ token: 'brt_mine' }, 'token', 'unknown_property'],
    [{ scopes: [] }, 'scopes', 'invalid_length'],
    [{ scopes: 'read' }, 'scopes', 'wrong_type'],
    [{ scopes: ['read', 'admin'] }, 'scopes', 'invalid_item'],
    [{ scopes: ['read', 'read'] }, 'scopes', 'duplicate_item'],
    [{ organizationIds: [] }, 'organizationIds', 'invalid_length'],
    [{ organizationIds: ['acme'] }, 'organizationIds', 'invalid_item'],
    [{ organizationIds: Array(2).fill('0199c9a4-3f1e-7d2a-8c42-5b8f6f0f2a33') }, 'organizationIds', 'duplicate_item'],
    [{ organizationIds: Array.from({ length: 101 }, () => randomUUID()) }, 'organizationIds', 'invalid_length'],
  ])('refuses %j', async (body, path, code) => {
    expectIssue(await create(body), path, code);
  });

  it('lets nobody but the bootstrap token say for whom', async () => {
    expectIssue(await create({ subject: `token:${randomUUID()}` }), 'subject', 'not_permitted');
    expectIssue(await create({ subject: 'bootstrap' }), 'subject', 'not_permitted');
    expectIssue(await create({ subject: 'somebody' }, app.bootstrap), 'subject', 'invalid_subject');
  });

  it('refuses a token that would outlive its maker', async () => {
    const person = await mortal(later(1));
    expectIssue(await create({ expiresAt: later(2) }, person), 'expiresAt', 'outlives_caller');
    expect((await person.get('/owner-tokens')).body.data).toHaveLength(1);
  });

  it('refuses a token that could do more than its maker', async () => {
    const maker = await limited({ scopes: ['read', 'settings'] });
    for (const scopes of [['work'], ['read', 'work', 'settings'], ['decide']])
      expectIssue(await create({ scopes }, maker), 'scopes', 'exceeds_caller');
  });

  it('refuses organizations that are not open to its maker, as if there were none', async () => {
    const [mine, other] = [await organizationOf(owner), await organizationOf(owner)];
    const theirs = await organizationOf(await app.person());
    const gone = await organizationOf(owner);
    await owner.delete(`/organizations/${gone}`);
    const answers = [];
    for (const [maker, closed] of [
      [owner, randomUUID()],
      [owner, theirs],
      [owner, gone],
      [await limited({ organizationIds: [mine] }), other],
    ] as const)
      answers.push(await create({ organizationIds: [mine, closed] }, maker));
    for (const answer of answers) expectIssue(answer, 'organizationIds.1', 'unknown_reference');
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.error))).size).toBe(1);
    expect((await create({ organizationIds: [theirs] }, app.bootstrap)).status).toBe(201);
  });

  it('wants a UUID as Idempotency-Key, and leaves it unused after a refusal', async () => {
    expectIssue(await create({}, owner, 'not-a-uuid'), 'Idempotency-Key', 'invalid_uuid');
    const key = randomUUID();
    expectIssue(await create({ expiresAt: '2020-01-01T00:00:00Z' }, owner, key), 'expiresAt', 'not_in_future');
    expect((await create({}, owner, key)).headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('POST /owner-tokens: 401', () => {
  it('once the token that calls has expired', async () => {
    const { body } = await create({});
    await app.db.query('update owner_token set expires_at = clock_timestamp() where id = $1', [body.data.id]);
    const answer = await create({}, app.client(body.data.token));
    expect(answer.status).toBe(401);
    expect(answer.body.error.code).toBe('owner_unauthorized');
  });
});

describe('POST /owner-tokens: 409', () => {
  it('refuses a key that was used for other details', async () => {
    const key = randomUUID();
    await create({ name: 'one' }, owner, key);
    const { status, body } = await create({ name: 'other' }, owner, key);
    expect(status).toBe(409);
    expect(body.error.code).toBe('state_conflict');
  });
});
