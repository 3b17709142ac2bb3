import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createOrganization, organizationOf } from '../../support/client.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const app = useTestApp();
const owner = usePerson(app);
let path: string;
let profiles: { id: string; key: string }[];

beforeAll(async () => {
  const { organization, agentProfiles } = (await createOrganization(owner)).body.data;
  path = `/organizations/${organization.id}/agent-profiles`;
  profiles = agentProfiles;
});

const idOf = (key: string) => profiles.find((profile) => profile.key === key)!.id;

describe('GET /organizations/{organizationId}/agent-profiles/{id}: 200', () => {
  it('shows a profile as its creation did, whatever the case of its id', async () => {
    for (const profile of profiles) {
      const { status, body } = await owner.get(`${path}/${profile.id.toUpperCase()}`);
      expect([status, body.data]).toEqual([200, profile]);
    }
  });

  it('has no department for operator and chat', async () => {
    for (const key of ['operator', 'chat']) {
      const { data } = (await owner.get(`${path}/${idOf(key)}`)).body;
      expect(data).toMatchObject({ key, kind: key, department: null });
    }
  });
});

describe('GET /organizations/{organizationId}/agent-profiles/{id}: 400', () => {
  it.each(['growth', '1'])('wants a UUID, not %s', async (id) => {
    const { status, body } = await owner.get(`${path}/${id}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'validation_failed', issues: [{ path: 'id', code: 'invalid_uuid' }] });
  });
});

describe('GET /organizations/{organizationId}/agent-profiles/{id}: 401', () => {
  it('wants an owner', async () => {
    for (const client of [app.anonymous, app.service])
      expect((await client.get(`${path}/${idOf('chat')}`)).status).toBe(401);
  });
});

describe('GET /organizations/{organizationId}/agent-profiles/{id}: 404', () => {
  it('answers `agent_profile_not_found` for an unknown id and one of another organization', async () => {
    const elsewhere = `/organizations/${await organizationOf(owner)}/agent-profiles`;
    for (const address of [`${path}/${randomUUID()}`, `${elsewhere}/${idOf('chat')}`]) {
      const { status, body } = await owner.get(address);
      expect([status, body.error.code]).toEqual([404, 'agent_profile_not_found']);
    }
  });

  it('answers `organization_not_found` to those who are no member', async () => {
    const { status, body } = await (await app.person()).get(`${path}/${idOf('chat')}`);
    expect([status, body.error.code]).toEqual([404, 'organization_not_found']);
  });
});
