import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { edition, emptyFolder, publish } from '../../support/factories/catalog-folder.ts';
import { createOrganization } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

interface Profile {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly instructionsUri: string;
  readonly config: { catalogSource: object; runtime: { model: string } };
}

const app = useTestApp({ ownDatabase: true, env: { CATALOG_DIR: emptyFolder() } });
const owner = usePerson(app);
let older: string;
let current: string;
/** Of the organization that each test has for itself. */
let organization: string;
let path: string;
let builtIn: Record<string, Profile>;

beforeAll(async () => {
  older = await publish(app, edition(1));
  current = await publish(app, edition(2));
});

beforeEach(async () => {
  const { data } = (await createOrganization(owner)).body;
  organization = `/organizations/${data.organization.id}`;
  path = `${organization}/agent-profiles`;
  builtIn = byKey(data.agentProfiles);
});

const byKey = (profiles: Profile[]) => Object.fromEntries(profiles.map((profile) => [profile.key, profile]));
const provision = (body: object, headers?: Record<string, string>) => owner.post(`${path}/provision`, body, headers);
const departments = async () => (await owner.get(organization)).body.data.config.departments;

describe('POST …/agent-profiles/provision: 200', () => {
  it('disables the departments that are not named, and enables them again', async () => {
    const ads = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    const extra: Profile = (await owner.post(path, ads)).body.data;
    const first = await provision({ departments: ['support'] });
    expect(first.status).toBe(200);
    expect(first.body.data.revision).toBe(current);
    expect(first.body.data.profiles.map(({ key, status }: Profile) => [key, status])).toEqual([
      ['operator', 'enabled'],
      ['chat', 'enabled'],
      ['support', 'enabled'],
    ]);
    expect(first.body.data.disabledProfileIds.toSorted()).toEqual(
      [builtIn.growth!.id, builtIn.engineering!.id, extra.id].sort(),
    );
    expect(await departments()).toEqual({
      growth: { enabled: false },
      engineering: { enabled: false },
      support: { enabled: true },
    });

    const second = (await provision({ departments: ['growth', 'support'] })).body.data;
    expect(second.disabledProfileIds).toEqual([]);
    expect(byKey(second.profiles).growth).toMatchObject({ id: builtIn.growth!.id, status: 'enabled' });
    expect((await departments()).growth).toEqual({ enabled: true });
  });

  it('enables operator and chat, and needs no department', async () => {
    for (const key of ['operator', 'chat']) await owner.patch(`${path}/${builtIn[key]!.id}`, { status: 'disabled' });
    const { body } = await provision({ departments: [] });
    expect(body.data.profiles.map(({ id, status }: Profile) => [id, status])).toEqual([
      [builtIn.operator!.id, 'enabled'],
      [builtIn.chat!.id, 'enabled'],
    ]);
    expect(body.data.disabledProfileIds).toHaveLength(3);
  });

  it('creates what is missing', async () => {
    await owner.delete(`${path}/${builtIn.growth!.id}`);
    const { growth } = byKey((await provision({ departments: ['growth'] })).body.data.profiles);
    expect(growth!.id).not.toBe(builtIn.growth!.id);
    expect(growth).toMatchObject({
      instructionsUri: `service://catalog/${current}/growth/instructions`,
      config: { catalogSource: { templateKey: 'growth', revision: current, updatePolicy: 'auto' } },
    });
  });

  it('pins to a revision that is named, and moves on to the current one without', async () => {
    const at = (revision: string, updatePolicy: string) => ({
      instructionsUri: `service://catalog/${revision}/growth/instructions`,
      config: {
        runtime: { model: revision === older ? 'model-1' : 'model-2' },
        catalogSource: { templateKey: 'growth', revision, updatePolicy },
      },
    });
    expect(builtIn.growth).toMatchObject(at(current, 'auto'));
    const pinned = (await provision({ departments: ['growth'], revision: older })).body.data;
    expect(pinned.revision).toBe(older);
    expect(byKey(pinned.profiles).growth).toMatchObject(at(older, 'pinned'));
    const moved = (await provision({ departments: ['growth'] })).body.data;
    expect(moved.revision).toBe(current);
    expect(byKey(moved.profiles).growth).toMatchObject(at(current, 'pinned'));
  });

  it('keeps instructions and configuration that were changed', async () => {
    const instructionsUri = 'https://acme.example/growth.md';
    await owner.patch(`${path}/${builtIn.growth!.id}`, { instructionsUri });
    await owner.patch(`${path}/${builtIn.support!.id}`, { config: { skillKeys: ['ours'] } });
    const body = { departments: ['growth', 'support'], revision: older };
    const { growth, support } = byKey((await provision(body)).body.data.profiles);
    expect(growth).toMatchObject({ instructionsUri, config: { runtime: { model: 'model-1' } } });
    expect(support).toMatchObject({
      instructionsUri: `service://catalog/${older}/support/instructions`,
      config: { skillKeys: ['ours'], catalogSource: { revision: older } },
    });
  });

  it('answers a repeat with the same data and does nothing', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await provision({ departments: [] }, key);
    await provision({ departments: ['growth', 'engineering', 'support'] });
    const again = await provision({ departments: [] }, key);
    expect(again.body.data).toEqual(first.body.data);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await departments()).growth).toEqual({ enabled: true });
  });

  it('may be called by many at once', async () => {
    await owner.delete(`${path}/${builtIn.growth!.id}`);
    const answers = await Promise.all(Array.from({ length: 6 }, () => provision({ departments: ['growth'] })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const ids = answers.map(({ body }) => byKey(body.data.profiles).growth!.id);
    expect(new Set(ids).size).toBe(1);
  });

  it('and a creation of the same key at once give one profile, and no failure', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { body } = await owner.get(`${path}?department=support`);
      for (const { id } of body.data) await owner.delete(`${path}/${id}`);
      const [provisioned, created] = await Promise.all([
        provision({ departments: ['support'] }),
        owner.post(path, { key: 'support', name: 'Support', kind: 'department', department: 'support' }),
      ]);
      expect(provisioned.status).toBe(200);
      expect([201, 409]).toContain(created.status);
      expect((await owner.get(`${path}?department=support`)).body.data).toHaveLength(1);
    }
  });

  it('is in the activity log', async () => {
    await provision({ departments: ['growth'] });
    const { body } = await owner.get(`${organization}/activity?verb=agent_profiles.provisioned`);
    expect(body.data).toMatchObject([
      {
        details: { departments: ['growth'], revision: current },
        subject: { kind: 'organization', label: (await owner.get(organization)).body.data.name },
      },
    ]);
  });
});

describe('POST …/agent-profiles/provision: 400', () => {
  it.each([
    ['no departments', { departments: undefined }, 'departments', 'required'],
    ['null', { departments: null }, 'departments', 'wrong_type'],
    ['an unknown department', { departments: ['sales'] }, 'departments', 'invalid_item'],
    ['a department twice', { departments: ['growth', 'growth'] }, 'departments', 'duplicate_item'],
    ['a malformed revision', { revision: 'latest' }, 'revision', 'invalid_revision'],
    ['an unknown property', { force: true }, 'force', 'unknown_property'],
  ])('refuses %s', async (_what, overrides, at, code) => {
    const { status, body } = await provision({ departments: [], ...overrides });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path: at, code }] });
  });
});

describe('POST …/agent-profiles/provision: 404', () => {
  it('answers `not_found` for an unknown revision and changes nothing', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const { status, body } = await provision({ departments: [], revision: 'a'.repeat(64) }, key);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    expect((await departments()).growth).toEqual({ enabled: true });
    expect((await owner.get(`${path}?status=enabled`)).body.data).toHaveLength(5);
    expect((await provision({ departments: [] }, key)).status).toBe(200);
  });

  it('answers `organization_not_found` to those who are no member', async () => {
    const { status, body } = await (await app.person()).post(`${path}/provision`, { departments: [] });
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});

describe('POST …/agent-profiles/provision: 409', () => {
  it('refuses a key that was used for other details', async () => {
    const key = { 'idempotency-key': randomUUID() };
    await provision({ departments: [] }, key);
    const { status, body } = await provision({ departments: ['growth'] }, key);
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
  });
});
