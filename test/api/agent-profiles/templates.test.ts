import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { emptyFolder, publish } from '../../support/factories/catalog-folder.ts';
import { company, createOrganization } from '../../support/client.ts';
import { TestApp } from '../../support/test-app.ts';
import { useTestApp } from '../../support/use-test-app.ts';

describe('GET /agent-profile-templates: 200', () => {
  const app = useTestApp();

  it('shows the current catalog and its revision to every owner', async () => {
    const { status, body } = await (await app.person()).get('/agent-profile-templates');
    expect(status).toBe(200);
    expect(body.data).toEqual({
      revision: expect.stringMatching(/^[0-9a-f]{64}$/),
      catalog: JSON.parse(readFileSync('catalog/catalog.json', 'utf8')),
    });
  });
});

describe('GET /agent-profile-templates: 401', () => {
  it('wants an owner', async () => {
    const app = await TestApp.start();
    for (const client of [app.anonymous, app.service])
      expect((await client.get('/agent-profile-templates')).status).toBe(401);
    await app.close();
  });
});

describe('Without a published catalog: 503', () => {
  const app = useTestApp({ ownDatabase: true, env: { CATALOG_DIR: emptyFolder() } });

  it('there are no templates', async () => {
    const { status, body } = await app.bootstrap.get('/agent-profile-templates');
    expect([status, body.error.code]).toEqual([503, 'request_failed']);
  });

  it('no organization is created, nothing is stored and the key stays unused', async () => {
    const owner = await app.person();
    const [key, details] = [{ 'idempotency-key': randomUUID() }, company()];
    const { status, body } = await owner.post('/organizations', details, key);
    expect([status, body.error.code]).toEqual([503, 'request_failed']);
    for (const table of ['organization', 'organization_slug', 'membership', 'agent_profile', 'idempotency_key'])
      expect((await app.db.query(`select 1 from ${table}`)).rowCount).toBe(0);

    await publish(app, 'catalog');
    const { status: retried, headers } = await owner.post('/organizations', { ...details, name: 'Other' }, key);
    expect([retried, headers['idempotent-replayed']]).toEqual([201, undefined]);
    await app.db.query('delete from catalog_revision');
  });

  it('nothing is provisioned and no profile made', async () => {
    await publish(app, 'catalog');
    const { organization, agentProfiles } = (await createOrganization(app.bootstrap)).body.data;
    await app.db.query('delete from catalog_revision');
    const path = `/organizations/${organization.id}/agent-profiles`;
    const profile = { key: 'growth-ads', name: 'Ads', kind: 'department', department: 'growth' };
    for (const answer of [
      await app.bootstrap.post(`${path}/provision`, { departments: [] }),
      await app.bootstrap.post(path, profile),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([503, 'request_failed']);
    const { body } = await app.bootstrap.get(`/organizations/${organization.id}`);
    expect(body.data.config.departments).toEqual(organization.config.departments);
    expect((await app.bootstrap.get(`${path}?status=enabled`)).body.data).toHaveLength(agentProfiles.length);
  });
});
