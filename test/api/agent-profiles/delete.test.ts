import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganization, organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let organizationId: string;
let path: string;
let builtIn: Record<string, string>;

beforeAll(async () => {
  const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
  organizationId = organization.id;
  path = `/organizations/${organizationId}/agent-profiles`;
  builtIn = Object.fromEntries(agentProfiles.map(({ key, id }: { key: string; id: string }) => [key, id]));
});

const ads = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };

describe('DELETE /organizations/{organizationId}/agent-profiles/{id}: 200', () => {
  it('answers with the profile, hides it and frees its key', async () => {
    const { data: profile } = (await owner.post(path, ads)).body;
    const { status, body } = await owner.delete(`${path}/${profile.id}`);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...profile, status: 'disabled', updatedAt: body.data.updatedAt });
    const again = await owner.post(path, ads);
    expect(again.status).toBe(201);
    expect(again.body.data.id).not.toBe(profile.id);
    const { body: list } = await owner.get(`${path}?department=growth`);
    const ids = list.data.map(({ id }: { id: string }) => id);
    expect(ids).toContain(again.body.data.id);
    expect(ids).not.toContain(profile.id);
  });

  it('keeps the row, so that what the profile did still names it', async () => {
    const { data } = (await owner.post(path, { ...ads, key: 'kept' })).body;
    await owner.delete(`${path}/${data.id}`);
    const { rows } = await app.db.query('select status, deleted_at from agent_profile where id = $1', [data.id]);
    expect(rows).toEqual([{ status: 'disabled', deleted_at: expect.any(Date) }]);
    const log = await owner.get(`/organizations/${organizationId}/activity?subjectId=${data.id}`);
    expect(log.body.data.map(({ verb }: { verb: string }) => verb)).toEqual([
      'agent_profile.deleted',
      'agent_profile.created',
    ]);
  });

  it('lets a department’s own profile go, and provisioning bring a new one', async () => {
    await owner.delete(`${path}/${builtIn.support}`);
    const { body } = await owner.post(`${path}/provision`, { departments: ['growth', 'engineering', 'support'] });
    const support = body.data.profiles.find(({ key }: { key: string }) => key === 'support');
    expect(support.status).toBe('enabled');
    expect(support.id).not.toBe(builtIn.support);
  });
});

describe('DELETE /organizations/{organizationId}/agent-profiles/{id}: 404', () => {
  it('answers `agent_profile_not_found` for every call after it', async () => {
    const { data } = (await owner.post(path, { ...ads, key: 'gone' })).body;
    await owner.delete(`${path}/${data.id}`);
    for (const answer of [
      await owner.get(`${path}/${data.id}`),
      await owner.patch(`${path}/${data.id}`, { status: 'enabled' }),
      await owner.delete(`${path}/${data.id}`),
      await owner.delete(`${path}/${randomUUID()}`),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'agent_profile_not_found']);
  });

  it('touches no profile of another organization', async () => {
    const elsewhere = `/organizations/${await organizationOf(owner)}/agent-profiles`;
    const { status, body } = await owner.delete(`${elsewhere}/${builtIn.engineering}`);
    expect([status, body.error.code]).toEqual([404, 'agent_profile_not_found']);
    const stranger = await (await app.person()).delete(`${path}/${builtIn.engineering}`);
    expect([stranger.status, stranger.body.error.code]).toEqual([404, 'organization_not_found']);
    expect((await owner.get(`${path}/${builtIn.engineering}`)).body.data.status).toBe('enabled');
  });
});

describe('DELETE /organizations/{organizationId}/agent-profiles/{id}: 409', () => {
  it.each(['operator', 'chat'])('keeps the %s profile', async (key) => {
    const { status, body } = await owner.delete(`${path}/${builtIn[key]}`);
    expect([status, body.error.code]).toEqual([409, 'state_conflict']);
    expect((await owner.get(`${path}/${builtIn[key]}`)).body.data.status).toBe('enabled');
  });
});
