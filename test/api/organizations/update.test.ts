import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let id: string;
beforeEach(async () => {
  id = await organizationOf(owner);
});

const read = async () => (await owner.get(`/organizations/${id}`)).body.data;
const patch = (body: unknown) => owner.patch(`/organizations/${id}`, body);
const updates = async () =>
  (await owner.get(`/organizations/${id}/activity?verb=organization.updated`)).body.data as { details: unknown }[];

async function changed(body: unknown) {
  const answer = await patch(body);
  expect(answer.status).toBe(200);
  expect(answer.body.data).toEqual(await read());
  return answer.body.data;
}

describe('PATCH /organizations/{organizationId}: 200', () => {
  it('changes what is sent, normalised, and nothing else', async () => {
    const before = await read();
    const after = await changed({
      name: '  New   Name ',
      website: 'http://New.example/x',
      timezone: 'utc',
      defaultCurrency: 'usd',
    });
    expect(after).toEqual({
      ...before,
      name: 'New Name',
      website: 'https://new.example',
      defaultCurrency: 'USD',
      config: { ...before.config, timezone: 'UTC' },
      updatedAt: after.updatedAt,
    });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(after.updatedAt).toMatch(/\.\d{6}Z$/);
    expect(await updates()).toMatchObject([
      { details: { changed: ['name', 'website', 'timezone', 'defaultCurrency'] } },
    ]);
  });

  it('merges objects one level deep', async () => {
    await changed({ config: { limits: { maxTaskDepth: 7 } } });
    const after = await changed({
      config: { limits: { maxPlanOperations: 50 }, departments: { support: { enabled: false } } },
    });
    expect(after.config).toMatchObject({
      limits: { maxTaskDepth: 7, maxPlanOperations: 50, maxInitiativeDescendants: 100, maxLiveRuns: 10 },
      departments: { growth: { enabled: true }, engineering: { enabled: true }, support: { enabled: false } },
    });
    expect((await changed({ constraints: { blockedDomains: ['a.example'] } })).constraints).toEqual({
      allowedIntegrations: [],
      blockedDomains: ['a.example'],
      approvalRequiredForRisk: ['external', 'high'],
    });
  });

  it('replaces lists', async () => {
    await changed({ constraints: { blockedDomains: ['A.example', 'a.example', 'b.example'] } });
    expect((await read()).constraints.blockedDomains).toEqual(['a.example', 'b.example']);
    await changed({ constraints: { blockedDomains: ['c.example'], approvalRequiredForRisk: [] } });
    expect((await read()).constraints).toMatchObject({ blockedDomains: ['c.example'], approvalRequiredForRisk: [] });
  });

  it.each([
    {},
    { config: {}, constraints: {} },
    { config: { limits: {}, departments: {} } },
    { website: 'https://acme.example/', timezone: 'europe/berlin', defaultCurrency: 'eur' },
    { config: { limits: { maxTaskDepth: 4 }, departments: { growth: { enabled: true } } } },
    { constraints: { allowedIntegrations: [], blockedDomains: [], approvalRequiredForRisk: ['external', 'high'] } },
  ])('changes nothing with %j', async (body) => {
    const before = await read();
    expect(await changed(body)).toEqual(before);
    expect(await updates()).toEqual([]);
  });

  it.each([
    ['maxTaskDepth', 1, 20],
    ['maxPlanOperations', 1, 200],
    ['maxInitiativeDescendants', 1, 10_000],
    ['maxLiveRuns', 1, 10_000],
  ])('takes %s from %d to %d', async (limit, least, most) => {
    for (const value of [least, most])
      expect((await changed({ config: { limits: { [limit]: value } } })).config.limits[limit]).toBe(value);
  });

  it('shows the limit of live runs in lists, and keeps it where starts read it', async () => {
    await changed({ config: { limits: { maxLiveRuns: 42 } } });
    const { body } = await owner.get('/organizations');
    const listed = body.data.find((each: { id: string }) => each.id === id);
    expect(listed.config.limits.maxLiveRuns).toBe(42);
    const { rows } = await app.db.query('select max_live_runs from organization_capacity where organization_id = $1', [
      id,
    ]);
    expect(rows).toEqual([{ max_live_runs: 42 }]);
  });

  it('advances the epoch when, and only when, integration authorization changes', async () => {
    const epoch = async (body: unknown) => (await changed(body)).authorizationEpoch;
    expect(await epoch({ constraints: { allowedIntegrations: ['code-host', 'payments-provider'] } })).toBe(2);
    expect(await epoch({ constraints: { allowedIntegrations: ['payments-provider', 'code-host'] } })).toBe(2);
    expect(await epoch({ constraints: { blockedDomains: ['a.example'] } })).toBe(3);
    expect(await epoch({ constraints: { blockedDomains: ['A.EXAMPLE'] } })).toBe(3);
    expect(await epoch({ constraints: { allowedIntegrations: [], blockedDomains: [] } })).toBe(4);
    expect(await epoch({ constraints: { approvalRequiredForRisk: ['low'] } })).toBe(4);
    expect(await epoch({ name: 'Other', config: { departments: { growth: { enabled: false } } } })).toBe(4);
  });

  it('switches the profiles of departments', async () => {
    const profiles = async () => {
      const { body } = await owner.get(`/organizations/${id}/agent-profiles`);
      return Object.fromEntries(body.data.map(({ key, status }: { key: string; status: string }) => [key, status]));
    };
    const all = { operator: 'enabled', chat: 'enabled', growth: 'enabled', engineering: 'enabled', support: 'enabled' };
    await owner.post(`/organizations/${id}/agent-profiles`, {
      key: 'seo',
      name: 'SEO',
      kind: 'department',
      department: 'growth',
    });
    await changed({ config: { departments: { growth: { enabled: false }, support: { enabled: false } } } });
    expect(await profiles()).toEqual({ ...all, growth: 'disabled', seo: 'disabled', support: 'disabled' });
    await changed({ config: { departments: { growth: { enabled: true } } } });
    expect(await profiles()).toEqual({ ...all, seo: 'enabled', support: 'disabled' });
  });

  it('brings back only those profiles that the switch of their department disabled', async () => {
    const profiles = `/organizations/${id}/agent-profiles`;
    const make = async (key: string) =>
      (await owner.post(profiles, { key, name: key, kind: 'department', department: 'growth' })).body.data.id as string;
    const [kept, off, wished] = [await make('seo'), await make('ads'), await make('blog')];
    const status = async (profile: string) => (await owner.get(`${profiles}/${profile}`)).body.data.status;
    await owner.patch(`${profiles}/${off}`, { status: 'disabled' });
    await changed({ config: { departments: { growth: { enabled: false } } } });
    // What an owner says of one meanwhile holds.
    await owner.patch(`${profiles}/${wished}`, { status: 'disabled' });
    await changed({ config: { departments: { growth: { enabled: true } } } });
    expect(await Promise.all([kept, off, wished].map(status))).toEqual(['enabled', 'disabled', 'disabled']);
    await changed({ config: { departments: { growth: { enabled: false } } } });
    await owner.post(`${profiles}/provision`, { departments: ['growth'] });
    expect(await Promise.all([kept, off, wished].map(status))).toEqual(['enabled', 'disabled', 'disabled']);
  });

  it('works while it is being onboarded, as no other write does', async () => {
    await app.db.query(`update organization set status = 'onboarding' where id = $1`, [id]);
    expect(await changed({ name: 'Shell' })).toMatchObject({ name: 'Shell', status: 'onboarding' });
    const others: [method: string, path: string, body?: unknown][] = [
      ['PUT', 'work-dispatch', { status: 'stopped' }],
      ['PUT', `members/token:${randomUUID()}`, { role: 'owner' }],
      ['DELETE', `members/${owner.subject}`],
      ['POST', 'agent-profiles', { key: 'seo', name: 'SEO', kind: 'department', department: 'growth' }],
      ['POST', 'agent-profiles/provision', { departments: ['growth'] }],
    ];
    for (const client of [owner, app.bootstrap])
      for (const [method, path, body] of others)
        expect(await client.send(method, `/organizations/${id}/${path}`, body)).toMatchObject({
          status: 409,
          body: { error: { code: 'state_conflict' } },
        });
  });

  it('loses none of two changes at once', async () => {
    await Promise.all([patch({ constraints: { blockedDomains: ['a.example'] } }), patch({ name: 'Both' })]);
    expect(await read()).toMatchObject({ name: 'Both', constraints: { blockedDomains: ['a.example'] } });
  });
});

describe('PATCH /organizations/{organizationId}: 400', () => {
  it.each<[object, string, string]>([
    [{ name: null }, 'name', 'wrong_type'],
    [{ name: '  ' }, 'name', 'invalid_length'],
    [{ website: null }, 'website', 'wrong_type'],
    [{ website: 'https://10.0.0.1' }, 'website', 'invalid_website'],
    [{ timezone: '+02:00' }, 'timezone', 'invalid_timezone'],
    [{ defaultCurrency: 'EURO' }, 'defaultCurrency', 'invalid_currency'],
    [{ config: null }, 'config', 'wrong_type'],
    [{ config: [] }, 'config', 'wrong_type'],
    [{ config: { limits: null } }, 'config.limits', 'wrong_type'],
    [{ config: { limits: { maxTaskDepth: null } } }, 'config.limits.maxTaskDepth', 'wrong_type'],
    [{ config: { limits: { maxTaskDepth: '4' } } }, 'config.limits.maxTaskDepth', 'wrong_type'],
    [{ config: { limits: { maxTaskDepth: 0 } } }, 'config.limits.maxTaskDepth', 'out_of_range'],
    [{ config: { limits: { maxTaskDepth: 21 } } }, 'config.limits.maxTaskDepth', 'out_of_range'],
    [{ config: { limits: { maxLiveRuns: 0 } } }, 'config.limits.maxLiveRuns', 'out_of_range'],
    [{ config: { limits: { maxLiveRuns: 10_001 } } }, 'config.limits.maxLiveRuns', 'out_of_range'],
    [{ config: { limits: { maxLiveRuns: null } } }, 'config.limits.maxLiveRuns', 'wrong_type'],
    [{ config: { limits: { maxPlanOperations: 201 } } }, 'config.limits.maxPlanOperations', 'out_of_range'],
    [
      { config: { limits: { maxInitiativeDescendants: 10_001 } } },
      'config.limits.maxInitiativeDescendants',
      'out_of_range',
    ],
    [{ config: { limits: { depth: 1 } } }, 'config.limits.depth', 'unknown_property'],
    [{ config: { timezone: 'UTC' } }, 'config.timezone', 'unknown_property'],
    [{ config: { departments: { legal: { enabled: true } } } }, 'config.departments.legal', 'unknown_property'],
    [{ config: { departments: { growth: true } } }, 'config.departments.growth', 'wrong_type'],
    [{ config: { departments: { growth: {} } } }, 'config.departments.growth.enabled', 'required'],
    [{ config: { departments: { growth: { enabled: 'true' } } } }, 'config.departments.growth.enabled', 'wrong_type'],
    [{ constraints: { blockedDomains: null } }, 'constraints.blockedDomains', 'wrong_type'],
    [{ constraints: { blockedDomains: 'a.example' } }, 'constraints.blockedDomains', 'wrong_type'],
    [{ constraints: { blockedDomains: ['https://a.example'] } }, 'constraints.blockedDomains', 'invalid_item'],
    [{ constraints: { allowedIntegrations: ['Git Hub'] } }, 'constraints.allowedIntegrations', 'invalid_item'],
    [{ constraints: { allowedIntegrations: ['x', 'x'] } }, 'constraints.allowedIntegrations', 'duplicate_item'],
    [{ constraints: { approvalRequiredForRisk: ['huge'] } }, 'constraints.approvalRequiredForRisk', 'invalid_item'],
    [{ constraints: { secret: 1 } }, 'constraints.secret', 'unknown_property'],
    [{ slug: 'mine' }, 'slug', 'unknown_property'],
    [{ status: 'active' }, 'status', 'unknown_property'],
    [{ authorizationEpoch: 9 }, 'authorizationEpoch', 'unknown_property'],
  ])('refuses %j', async (body, path, code) => {
    const answer = await patch({ name: 'Never', ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'validation_failed', issues: [{ path, code }] });
    expect((await read()).name).not.toBe('Never');
  });
});

describe('PATCH /organizations/{organizationId}: 404', () => {
  it('for those who do not belong to it, and changes nothing', async () => {
    const before = await read();
    const { status, body } = await (await app.person()).patch(`/organizations/${id}`, { name: 'Stolen' });
    expect(status).toBe(404);
    expect(body.error.code).toBe('organization_not_found');
    expect(await read()).toEqual(before);
    expect((await owner.patch(`/organizations/${randomUUID()}`, { name: 'X' })).status).toBe(404);
  });
});
