import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let id: string;

beforeAll(async () => {
  id = await organizationOf(owner, { name: `Reader ${randomUUID()}` });
});

describe('GET /organizations/{organizationId}: 200', () => {
  it('shows the whole organization', async () => {
    const { status, body } = await owner.get(`/organizations/${id}`);
    expect(status).toBe(200);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(body.data).toEqual({
      id,
      slug: expect.stringMatching(/^reader-/),
      name: expect.stringMatching(/^Reader /),
      status: 'active',
      website: 'https://acme.example',
      defaultCurrency: 'EUR',
      onboardedAt: instant,
      workDispatchStoppedAt: null,
      rootUri: `service://organizations/${id}`,
      authorizationEpoch: 1,
      config: {
        timezone: 'Europe/Berlin',
        departments: { growth: { enabled: true }, engineering: { enabled: true }, support: { enabled: true } },
        limits: { maxTaskDepth: 4, maxPlanOperations: 25, maxInitiativeDescendants: 100, maxLiveRuns: 10 },
        storageRootUri: `service://organizations/${id}`,
      },
      constraints: { allowedIntegrations: [], blockedDomains: [], approvalRequiredForRisk: ['external', 'high'] },
      createdAt: instant,
      updatedAt: instant,
    });
  });

  it('keeps the microseconds of the database', async () => {
    const { rows } = await app.db.query<Record<string, string>>(
      `select to_char(created_at at time zone 'utc', f) as "createdAt", to_char(onboarded_at at time zone 'utc', f) as "onboardedAt"
       from organization, (values ('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) v (f) where id = $1`,
      [id],
    );
    expect((await owner.get(`/organizations/${id}`)).body.data).toMatchObject(rows[0]!);
  });

  it('shows the same to the administrator, and for an id in upper case', async () => {
    const { body } = await owner.get(`/organizations/${id}`);
    expect((await app.bootstrap.get(`/organizations/${id}`)).body.data).toEqual(body.data);
    expect((await owner.get(`/organizations/${id.toUpperCase()}`)).body.data).toEqual(body.data);
  });

  it('reads work while it is being onboarded', async () => {
    const shell = await organizationOf(owner);
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [shell]);
    expect((await owner.get(`/organizations/${shell}`)).body.data.status).toBe('onboarding');
    for (const part of ['work-dispatch', 'members', 'activity', 'agent-profiles'])
      expect(await owner.get(`/organizations/${shell}/${part}`)).toMatchObject({ status: 200 });
    expect((await app.bootstrap.get(`/organizations/${shell}`)).status).toBe(200);
  });
});

describe('GET /organizations/{organizationId}: 400', () => {
  it('refuses what is no UUID', async () => {
    const { status, body } = await owner.get('/organizations/acme');
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'validation_failed',
      issues: [{ path: 'organizationId', code: 'invalid_uuid' }],
    });
  });
});

describe('GET /organizations/{organizationId}: 401', () => {
  it('wants an owner token, also for an organization that is unknown', async () => {
    for (const each of [id, randomUUID()]) {
      const { status, body } = await app.anonymous.get(`/organizations/${each}`);
      expect(status).toBe(401);
      expect(body.error.code).toBe('owner_unauthorized');
    }
  });
});

describe('GET /organizations/{organizationId}: 404', () => {
  it('tells an organization of others and an unknown one by nothing', async () => {
    const stranger = await app.person();
    const foreign = await stranger.get(`/organizations/${id}`);
    const unknown = await stranger.get(`/organizations/${randomUUID()}`);
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.code).toBe('organization_not_found');
    expect(unknown.status).toBe(404);
    expect({ ...unknown.body, meta: undefined }).toEqual({ ...foreign.body, meta: undefined });
    expect((await app.bootstrap.get(`/organizations/${randomUUID()}`)).body.error.code).toBe('organization_not_found');
  });
});
