import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { edition, emptyFolder, publish } from '../../support/factories/catalog-folder.ts';
import { organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp({ ownDatabase: true, env: { CATALOG_DIR: emptyFolder() } });
const owner = usePerson(app);
let organizationId: string;
let path: string;
let older: string;
let current: string;

beforeAll(async () => {
  older = await publish(app, edition(1));
  current = await publish(app, edition(2));
  organizationId = await organizationOf(owner);
  path = `/organizations/${organizationId}/agent-profiles`;
});

let counter = 0;
/** The path of a new profile of the growth department. */
async function newProfile(overrides: Record<string, unknown> = {}): Promise<string> {
  const details = { key: `growth-${(counter += 1)}`, name: 'More', kind: 'department', department: 'growth' };
  return `${path}/${(await owner.post(path, { ...details, ...overrides })).body.data.id}`;
}

const instructions = (revision: string, key: string) => `service://catalog/${revision}/${key}/instructions`;

describe('PATCH /organizations/{organizationId}/agent-profiles/{id}: 200', () => {
  it('changes what is named and nothing else', async () => {
    const profile = await newProfile();
    const before = (await owner.get(profile)).body.data;
    const { status, body } = await owner.patch(profile, { name: 'Renamed', status: 'disabled' });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, name: 'Renamed', status: 'disabled', updatedAt: body.data.updatedAt });
    expect(body.data.updatedAt > before.updatedAt).toBe(true);
    expect((await owner.get(profile)).body.data).toEqual(body.data);
  });

  it('merges `config` one level deep and replaces its lists', async () => {
    const profile = await newProfile();
    const before = (await owner.get(profile)).body.data.config;
    const first = { runtime: { reasoningEffort: 'low' }, toolPolicyKeys: ['one'], memoryRootUri: 'x://y/z' };
    await owner.patch(profile, { config: first });
    const { body } = await owner.patch(profile, { config: { defaultRunMode: 'verify', mcpServerKeys: [] } });
    expect(body.data.config).toEqual({
      ...before,
      ...first,
      runtime: { model: 'model-2', reasoningEffort: 'low' },
      defaultRunMode: 'verify',
      mcpServerKeys: [],
    });
  });

  it('passes other instructions on unread', async () => {
    const instructionsUri = 'https://unreachable.invalid/agents/growth.md?v=2#top';
    const { body } = await owner.patch(await newProfile(), { instructionsUri });
    expect(body.data.instructionsUri).toBe(instructionsUri);
  });

  it('pins to a revision that is named, and takes the catalog’s instructions along', async () => {
    const { body } = await owner.patch(await newProfile(), { config: { catalogSource: { revision: older } } });
    expect(body.data.config.catalogSource).toEqual({ templateKey: 'growth', revision: older, updatePolicy: 'pinned' });
    expect(body.data.instructionsUri).toBe(instructions(older, 'growth'));
  });

  it('follows another template, and the policy that is named with it', async () => {
    const catalogSource = { templateKey: 'engineering', updatePolicy: 'auto' };
    const { body } = await owner.patch(await newProfile(), { config: { catalogSource } });
    expect(body.data.config.catalogSource).toEqual({ ...catalogSource, revision: current });
    expect(body.data.instructionsUri).toBe(instructions(current, 'engineering'));
  });

  it('leaves instructions of one’s own where they are', async () => {
    const own = { instructionsUri: 'https://acme.example/growth.md' };
    const { body } = await owner.patch(await newProfile(own), { config: { catalogSource: { revision: older } } });
    expect(body.data).toMatchObject({ ...own, config: { catalogSource: { revision: older } } });
  });

  it('pins where it is, and lets go again', async () => {
    const profile = await newProfile();
    for (const updatePolicy of ['pinned', 'auto']) {
      const { body } = await owner.patch(profile, { config: { catalogSource: { updatePolicy } } });
      expect(body.data.config.catalogSource).toEqual({ templateKey: 'growth', revision: current, updatePolicy });
    }
  });

  it('sets how many of its runs may be live, and leaves the rest to the catalog', async () => {
    const profile = await newProfile();
    const before = (await owner.get(profile)).body.data;
    const { body } = await owner.patch(profile, { config: { maxLiveRuns: 50 } });
    expect(body.data).toEqual({
      ...before,
      config: { ...before.config, maxLiveRuns: 50 },
      updatedAt: expect.any(String),
    });
    expect(body.data.updatedAt > before.updatedAt).toBe(true);
    expect((await owner.patch(profile, { config: { maxLiveRuns: 50 } })).body.data).toEqual(body.data);
    const listed = (await owner.get(path)).body.data.find(({ id }: { id: string }) => id === before.id);
    expect(listed).toEqual(body.data);
    const log = await owner.get(`/organizations/${organizationId}/activity?subjectId=${before.id}`);
    expect(log.body.data.map(({ verb }: { verb: string }) => verb)).toEqual([
      'agent_profile.updated',
      'agent_profile.created',
    ]);
  });

  it('writes nothing when nothing changes', async () => {
    const profile = await newProfile();
    const before = (await owner.get(profile)).body.data;
    const same = { name: before.name, config: { runtime: before.config.runtime, skillKeys: before.config.skillKeys } };
    for (const body of [{}, same]) expect((await owner.patch(profile, body)).body.data).toEqual(before);
    await owner.patch(profile, { name: 'Renamed' });
    const log = await owner.get(`/organizations/${organizationId}/activity?subjectId=${before.id}`);
    expect(log.body.data).toMatchObject([
      { verb: 'agent_profile.updated', details: { changed: ['name'] } },
      { verb: 'agent_profile.created' },
    ]);
  });

  it('keeps both of two changes at once', async () => {
    const profile = await newProfile();
    await Promise.all([
      owner.patch(profile, { config: { runtime: { model: 'large' } } }),
      owner.patch(profile, { config: { runtime: { reasoningEffort: 'high' } } }),
    ]);
    expect((await owner.get(profile)).body.data.config.runtime).toEqual({ model: 'large', reasoningEffort: 'high' });
  });
});

describe('PATCH /organizations/{organizationId}/agent-profiles/{id}: 400', () => {
  it.each([
    ['key', { key: 'other' }, 'key', 'unknown_property'],
    ['kind', { kind: 'department' }, 'kind', 'unknown_property'],
    ['department', { department: 'support' }, 'department', 'unknown_property'],
    ['rootUri', { rootUri: 'x://y/z' }, 'rootUri', 'unknown_property'],
    ['a null name', { name: null }, 'name', 'wrong_type'],
    ['an empty name', { name: '' }, 'name', 'invalid_length'],
    ['an unknown status', { status: 'deleted' }, 'status', 'unknown_value'],
    ['a relative URI', { instructionsUri: 'growth.md' }, 'instructionsUri', 'invalid_uri'],
    ['a null part', { config: { runtime: null } }, 'config.runtime', 'wrong_type'],
    ['no live runs', { config: { maxLiveRuns: 0 } }, 'config.maxLiveRuns', 'out_of_range'],
    ['too many live runs', { config: { maxLiveRuns: 10_001 } }, 'config.maxLiveRuns', 'out_of_range'],
    ['half a run', { config: { maxLiveRuns: 1.5 } }, 'config.maxLiveRuns', 'wrong_type'],
    ['an unknown part', { config: { runtime: { effort: 1 } } }, 'config.runtime.effort', 'unknown_property'],
    [
      'an unknown revision',
      { config: { catalogSource: { revision: 'a'.repeat(64) } } },
      'config.catalogSource.revision',
      'unknown_reference',
    ],
    [
      'a malformed revision',
      { config: { catalogSource: { revision: 'A'.repeat(64) } } },
      'config.catalogSource.revision',
      'invalid_revision',
    ],
    [
      'an unknown template',
      { config: { catalogSource: { templateKey: 'sales' } } },
      'config.catalogSource.templateKey',
      'unknown_reference',
    ],
    [
      'an unknown policy',
      { config: { catalogSource: { updatePolicy: 'never' } } },
      'config.catalogSource.updatePolicy',
      'unknown_value',
    ],
  ])('refuses %s', async (_what, change, at, code) => {
    const profile = await newProfile();
    const before = (await owner.get(profile)).body.data;
    const { status, body } = await owner.patch(profile, change);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path: at, code }] });
    expect((await owner.get(profile)).body.data).toEqual(before);
  });
});

describe('PATCH /organizations/{organizationId}/agent-profiles/{id}: 404', () => {
  it('answers `agent_profile_not_found` for an unknown id and one of another organization', async () => {
    const id = (await newProfile()).split('/').at(-1);
    const elsewhere = `/organizations/${await organizationOf(owner)}/agent-profiles`;
    for (const address of [`${path}/${randomUUID()}`, `${elsewhere}/${id}`]) {
      const { status, body } = await owner.patch(address, { name: 'Mine' });
      expect([status, body.error.code]).toEqual([404, 'agent_profile_not_found']);
    }
  });

  it('answers `organization_not_found` to those who are no member', async () => {
    const { status, body } = await (await app.person()).patch(await newProfile(), { name: 'Mine' });
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});

describe('PATCH and POST of a profile of a disabled department: 409', () => {
  it('is refused to enable it, and not to change or disable it', async () => {
    const elsewhere = await organizationOf(owner);
    const profiles = `/organizations/${elsewhere}/agent-profiles`;
    const details = { key: 'growth-x', name: 'X', kind: 'department', department: 'growth' };
    const { id } = (await owner.post(profiles, details)).body.data;
    await owner.patch(`/organizations/${elsewhere}`, { config: { departments: { growth: { enabled: false } } } });
    const refused = { status: 409, body: { error: { code: 'state_conflict' } } };
    expect(await owner.patch(`${profiles}/${id}`, { status: 'enabled' })).toMatchObject(refused);
    expect(await owner.post(profiles, { ...details, key: 'growth-y' })).toMatchObject(refused);
    expect((await owner.patch(`${profiles}/${id}`, { name: 'Y', status: 'disabled' })).status).toBe(200);
    expect((await owner.post(profiles, { ...details, key: 'growth-y', status: 'disabled' })).status).toBe(201);
    await owner.patch(`/organizations/${elsewhere}`, { config: { departments: { growth: { enabled: true } } } });
    expect((await owner.patch(`${profiles}/${id}`, { status: 'enabled' })).body.data.status).toBe('enabled');
  });
});
