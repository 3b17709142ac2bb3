import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { onboardingOf, onboardingPath, shell } from '../../support/factories/onboardings.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const UNKNOWN = '0199c9a4-5b1e-7c3a-9f42-1c8f6f0f2aff';

const app = useTestApp();
const owner = usePerson(app);
const stranger = usePerson(app, 'stranger');

const begin = (body: unknown, headers?: Record<string, string>) =>
  owner.post('/organization-onboardings', body, headers);

describe('POST /organization-onboardings: 201', () => {
  it('creates a shell without agents, of which the creator is a member', async () => {
    const body = shell({ name: ' Bücher & Co ', timezone: 'america/new_york', departments: ['support', 'growth'] });
    const created = await begin(body);
    expect(created.status).toBe(201);
    const { organizationId } = created.body.data;
    expect(created.body.data).toEqual({
      organizationId,
      state: 'draft',
      departments: ['growth', 'support'],
      sources: [],
      review: null,
      error: null,
      startedAt: null,
      completedAt: null,
      createdAt: expect.stringMatching(MOMENT),
      updatedAt: created.body.data.createdAt,
    });
    expect((await owner.get(`/organizations/${organizationId}`)).body.data).toMatchObject({
      name: 'Bücher & Co',
      slug: body.slug,
      status: 'onboarding',
      website: null,
      defaultCurrency: null,
      onboardedAt: null,
      config: {
        timezone: 'America/New_York',
        departments: { growth: { enabled: true }, engineering: { enabled: false }, support: { enabled: true } },
      },
    });
    const [profiles, chats, members, activity] = await Promise.all(
      ['agent-profiles', 'chats', 'members', 'activity'].map(
        async (list) => (await owner.get(`/organizations/${organizationId}/${list}`)).body.data,
      ),
    );
    expect(profiles).toEqual([]);
    expect(chats).toMatchObject([{ title: 'Onboarding', isOnboardingChat: true }]);
    expect(members).toMatchObject([{ subject: owner.subject, role: 'owner' }]);
    expect(activity).toMatchObject([{ verb: 'onboarding.begun', subject: { id: organizationId } }]);
  });

  it('answers a repeat under the same key with the same organization', async () => {
    const [body, key] = [shell(), { 'idempotency-key': randomUUID() }];
    const first = await begin(body, key);
    const again = await begin(body, key);
    expect([again.status, again.body.data, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.body.data,
      'true',
    ]);
    const other = await begin(shell(), key);
    expect([other.status, other.body.error.code]).toEqual([409, 'request_failed']);
  });

  it('lets website and currency be named, and the rest be changed, while it lasts', async () => {
    const organizationId = await onboardingOf(owner);
    const { status, body } = await owner.patch(`/organizations/${organizationId}`, {
      website: 'acme.example',
      defaultCurrency: 'chf',
      config: { departments: { engineering: { enabled: true }, growth: { enabled: false } } },
    });
    expect([status, body.data.website, body.data.defaultCurrency]).toEqual([200, 'https://acme.example', 'CHF']);
    const record = (await owner.get(onboardingPath(organizationId))).body.data;
    expect(record.departments).toEqual(['engineering', 'support']);
    expect((await owner.get(`/organizations/${organizationId}/agent-profiles`)).body.data).toEqual([]);
  });
});

describe('POST /organization-onboardings: 400', () => {
  it.each<[string, Record<string, unknown>, string, string]>([
    ['no name', { name: ' ' }, 'name', 'invalid_length'],
    ['no slug', { slug: 'Not A Slug' }, 'slug', 'invalid_slug'],
    ['no zone', { timezone: 'Mars/Base' }, 'timezone', 'invalid_timezone'],
    ['no department', { departments: [] }, 'departments', 'invalid_length'],
    ['an unknown one', { departments: ['sales'] }, 'departments', 'invalid_item'],
    ['one twice', { departments: ['growth', 'growth'] }, 'departments', 'duplicate_item'],
    ['more', { website: 'https://acme.example' }, 'website', 'unknown_property'],
  ])('for %s', async (_, wrong, path, code) => {
    const { status, body } = await begin(shell(wrong));
    expect([status, body.error.code]).toEqual([400, 'request_failed']);
    expect(body.error.issues).toMatchObject([{ path, code }]);
  });
});

describe('POST /organization-onboardings: 409', () => {
  it('for a slug that an organization has, until that is deleted', async () => {
    const organizationId = await organizationOf(owner);
    const { slug } = (await owner.get(`/organizations/${organizationId}`)).body.data;
    const taken = await stranger.post('/organization-onboardings', shell({ slug }));
    expect([taken.status, taken.body.error.code]).toEqual([409, 'request_failed']);
    await owner.delete(`/organizations/${organizationId}`);
    expect((await stranger.post('/organization-onboardings', shell({ slug }))).status).toBe(201);
  });

  it('for all but one of those who want one slug at once', async () => {
    const { slug } = shell();
    const answers = await Promise.all(Array.from({ length: 6 }, () => begin(shell({ slug }))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  });
});

describe('GET /organizations/{organizationId}/onboarding: 404', () => {
  it('for an organization that did not begin so, is unknown or another person’s', async () => {
    const ofStranger = await onboardingOf(stranger);
    for (const id of [await organizationOf(owner), UNKNOWN, ofStranger]) {
      const { status, body } = await owner.get(onboardingPath(id));
      expect([status, body.error.code]).toEqual([404, 'request_failed']);
    }
  });

  it('is 400 for what is no id', async () => {
    const { status, body } = await owner.get(onboardingPath('x'));
    expect([status, body.error.code, body.error.issues[0].code]).toEqual([400, 'request_failed', 'invalid_uuid']);
  });
});

describe('DELETE /organizations/{organizationId}/onboarding: 200', () => {
  it('gives the organization up: nobody finds it, and its slug is free', async () => {
    const { slug } = shell();
    const organizationId = await onboardingOf(owner, { slug });
    const { status, body } = await owner.delete(onboardingPath(organizationId));
    expect([status, body.data.state, body.data.organizationId]).toEqual([200, 'discarded', organizationId]);
    for (const answer of [
      await owner.get(onboardingPath(organizationId)),
      await owner.delete(onboardingPath(organizationId)),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'request_failed']);
    expect((await owner.get(`/organizations/${organizationId}`)).status).toBe(404);
    expect(await onboardingOf(owner, { slug })).not.toBe(organizationId);
  });

  it('is 404 where the organization did not begin so, which stays', async () => {
    const organizationId = await organizationOf(owner);
    expect((await owner.delete(onboardingPath(organizationId))).status).toBe(404);
    expect((await owner.get(`/organizations/${organizationId}`)).status).toBe(200);
  });
});
