import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { company, createOrganization } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const app = useTestApp();
const owner = usePerson(app);

describe('POST /organizations: 201', () => {
  it('creates an active organization with five enabled profiles, owned by its creator', async () => {
    const { status, body } = await createOrganization(owner, { name: 'Bücher & Ötzi' });
    expect(status).toBe(201);
    const { organization, agentProfiles, chat } = body.data;
    expect(organization).toMatchObject({
      name: 'Bücher & Ötzi',
      status: 'active',
      website: 'https://acme.example',
      config: {
        timezone: 'Europe/Berlin',
        limits: { maxTaskDepth: 4, maxPlanOperations: 25, maxInitiativeDescendants: 100 },
      },
      authorizationEpoch: 1,
    });
    expect(organization.slug).toMatch(/^bucher-otzi(-\d+)?$/);
    expect(organization.onboardedAt).toMatch(MOMENT);
    expect(agentProfiles.map(({ key, status }: { key: string; status: string }) => [key, status])).toEqual([
      ['operator', 'enabled'],
      ['chat', 'enabled'],
      ['growth', 'enabled'],
      ['engineering', 'enabled'],
      ['support', 'enabled'],
    ]);
    expect(chat).toEqual({
      id: expect.any(String),
      organizationId: organization.id,
      title: 'New chat',
      status: 'open',
      summary: null,
      harnessSessionId: null,
      settings: { pinnedTaskIds: [] },
      lastMessageAt: null,
      archivedAt: null,
      isOnboardingChat: false,
      createdAt: expect.stringMatching(MOMENT),
      updatedAt: expect.stringMatching(MOMENT),
    });
    const members = await owner.get(`/organizations/${organization.id}/members`);
    expect(members.body.data).toMatchObject([{ subject: owner.subject, role: 'owner', addedBy: owner.subject }]);
  });

  it('takes limits, and defaults for those that are left out', async () => {
    const { body } = await createOrganization(owner, { config: { limits: { maxLiveRuns: 7, maxTaskDepth: 5 } } });
    const { organization } = body.data;
    expect(organization.config.limits).toEqual({
      maxTaskDepth: 5,
      maxPlanOperations: 25,
      maxInitiativeDescendants: 100,
      maxLiveRuns: 7,
    });
    const { rows } = await app.db.query('select max_live_runs from organization_capacity where organization_id = $1', [
      organization.id,
    ]);
    expect(rows).toEqual([{ max_live_runs: 7 }]);
  });

  it('numbers slugs that clash', async () => {
    const name = `Twin ${randomUUID().slice(0, 8)}`;
    const slugs = [];
    for (let n = 0; n < 3; n += 1) slugs.push((await createOrganization(owner, { name })).body.data.organization.slug);
    expect(slugs).toEqual([slugs[0], `${slugs[0]}-2`, `${slugs[0]}-3`]);
  });

  it('normalises the details', async () => {
    const { body } = await createOrganization(owner, {
      name: '  Spaced   Out ',
      website: 'http://Acme.example/about',
      timezone: 'america/new_york',
      defaultCurrency: 'usd',
    });
    expect(body.data.organization).toMatchObject({
      name: 'Spaced Out',
      website: 'https://acme.example',
      defaultCurrency: 'USD',
      config: { timezone: 'America/New_York' },
    });
  });

  it('answers a repeat with the same data, also when only the spelling differs', async () => {
    const key = randomUUID();
    const details = company();
    const first = await owner.post('/organizations', details, { 'idempotency-key': key });
    const again = await owner.post(
      '/organizations',
      { ...details, name: ` ${String(details.name)} `, defaultCurrency: 'eur' },
      { 'idempotency-key': key.toUpperCase() },
    );
    expect(again.status).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(again.body.data).toEqual(first.body.data);
  });
});

describe('POST /organizations: 400', () => {
  it.each([
    ['a missing name', { name: undefined }, 'name', 'required'],
    ['a blank name', { name: '   ' }, 'name', 'invalid_length'],
    ['a long name', { name: 'x'.repeat(201) }, 'name', 'invalid_length'],
    ['a name of another type', { name: 5 }, 'name', 'wrong_type'],
    ['null', { name: null }, 'name', 'wrong_type'],
    ['an unknown key', { color: 'red' }, 'color', 'unknown_property'],
    ['a private website', { website: 'http://localhost' }, 'website', 'invalid_website'],
    ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone', 'invalid_timezone'],
    ['an unknown currency', { defaultCurrency: 'XYZZY' }, 'defaultCurrency', 'invalid_currency'],
    ['NUL', { name: 'a\u0000b' }, 'name', 'invalid_text'],
    ['no live runs', { config: { limits: { maxLiveRuns: 0 } } }, 'config.limits.maxLiveRuns', 'out_of_range'],
    [
      'too many live runs',
      { config: { limits: { maxLiveRuns: 10_001 } } },
      'config.limits.maxLiveRuns',
      'out_of_range',
    ],
    ['departments', { config: { departments: {} } }, 'config.departments', 'unknown_property'],
  ])('refuses %s', async (_what, overrides, path, code) => {
    const { status, body } = await createOrganization(owner, overrides);
    expect(status).toBe(400);
    expect(body.error.code).toBe('request_failed');
    expect(body.error.issues).toEqual([expect.objectContaining({ path, code })]);
  });

  it.each([undefined, 'not-a-uuid'])('wants a UUID as Idempotency-Key, not %s', async (key) => {
    const { status, body } = await owner.post('/organizations', company(), key ? { 'idempotency-key': key } : {});
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'request_failed', issues: [{ path: 'Idempotency-Key' }] });
  });

  it('counts code points, not UTF-16 units', async () => {
    expect((await createOrganization(owner, { name: '🦊'.repeat(200) })).status).toBe(201);
    expect((await createOrganization(owner, { name: '🦊'.repeat(201) })).status).toBe(400);
  });

  it('leaves the key unused', async () => {
    const key = randomUUID();
    expect((await createOrganization(owner, { name: '' }, key)).status).toBe(400);
    expect((await createOrganization(owner, {}, key)).status).toBe(201);
  });
});

describe('POST /organizations: 409', () => {
  it('refuses a key that was used for other details', async () => {
    const key = randomUUID();
    await createOrganization(owner, { name: 'One' }, key);
    const { status, body } = await createOrganization(owner, { name: 'Another' }, key);
    expect(status).toBe(409);
    expect(body.error.code).toBe('request_failed');
  });

  it('refuses a replay after the organization was deleted', async () => {
    const key = randomUUID();
    const details = company();
    const { body } = await owner.post('/organizations', details, { 'idempotency-key': key });
    await owner.delete(`/organizations/${body.data.organization.id}`);
    const again = await owner.post('/organizations', details, { 'idempotency-key': key });
    expect(again.status).toBe(409);
    expect(again.body.error.code).toBe('request_failed');
  });

  it('keeps keys of different people apart', async () => {
    const key = randomUUID();
    const stranger = await app.person();
    const mine = await createOrganization(owner, {}, key);
    const theirs = await createOrganization(stranger, {}, key);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.data.organization.id).not.toBe(mine.body.data.organization.id);
  });
});
