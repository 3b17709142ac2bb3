import { beforeAll, expect, it } from '@jest/globals';
import type { CatalogEntry, ListedTool } from '../../../src/modules/integrations/index.ts';
import { ProviderAdapters } from '../../../src/modules/integrations/index.ts';
import { organizationOf } from '../../support/client.ts';
import { listedTool } from '../../support/factories/integrations/rows.ts';
import { usePerson, useTestApp } from '../../support/use-test-app.ts';

/** Connectors of the catalog: those of new organizations, and what a new version of an entry does to older ones. */
const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);

/** An entry whose adapter the test brings along, and changes as a release would. */
const entry: { -readonly [Key in keyof CatalogEntry]: CatalogEntry[Key] } = {
  key: 'shelf',
  version: 1,
  status: 'active',
  name: 'Shelf',
  description: 'Keeps things',
  connectionType: 'direct',
  purposes: ['storage'],
  credentialKinds: ['token'],
  authorization: 'none',
  fixedReadOnly: true,
  enabledByCredential: false,
  settings: 'required',
  settingsVerified: true,
  hasReportingCredential: false,
  tools: 'fixed',
  defaultDepartments: ['growth'],
  inCatalog: true,
};
const tools = [listedTool('read_shelf'), listedTool('count_shelf')] as unknown as ListedTool[];

beforeAll(() => {
  const refuse = () => {
    throw new Error('Nobody is asked.');
  };
  app.app.get(ProviderAdapters).register({ entry, tools: () => tools, verify: refuse, scope: refuse });
});

const shelfOf = async (organizationId: string) =>
  (await owner.get(`/organizations/${organizationId}/integrations/shelf`)).body.data;

it('gives every new organization one, disabled, for those of the entry’s departments', async () => {
  const organizationId = await organizationOf(owner);
  expect(await shelfOf(organizationId)).toMatchObject({
    key: 'shelf',
    kind: 'shelf',
    name: 'Shelf',
    description: 'Keeps things',
    connection: { type: 'direct' },
    endpoint: null,
    enabled: false,
    readiness: 'disabled',
    accessMode: 'read_only',
    purposes: ['storage'],
    profileGrants: ['chat', 'growth', 'operator'],
    readOnlyProfileKeys: ['operator'],
    tools: [
      { name: 'read_shelf', selected: false },
      { name: 'count_shelf', selected: false },
    ],
  });
  // What its verification enables, no switch does.
  const path = `/organizations/${organizationId}/integrations/shelf/status`;
  const { status, body } = await owner.patch(path, { enabled: true });
  expect([status, body.error.issues[0].code]).toEqual([409, 'needs_verification']);
});

it('brings older organizations up, and leaves alone what owners chose', async () => {
  const organizationId = await organizationOf(owner);
  await owner.patch(`/organizations/${organizationId}/integrations/shelf`, { name: 'Our shelf' });
  const selection = {
    explicit: true,
    tools: {
      read_shelf: { definitionHash: 'before', quarantined: false },
      count_shelf: { definitionHash: 'before', quarantined: false },
      removed: { definitionHash: 'before', quarantined: false },
    },
  };
  await app.db.query('update integration set selection = $2 where organization_id = $1', [organizationId, selection]);
  const without = await organizationOf(owner);
  for (const table of ['integration_grant', 'integration', 'integration_preferences'])
    await app.db.query(`delete from ${table} where organization_id = $1`, [without]);

  Object.assign(entry, {
    version: 2,
    name: 'Shelves',
    purposes: ['storage', 'archive'],
    raisedTools: { count_shelf: 2 },
  });
  await app.runJob('integration-catalog');
  await app.runJob('integration-catalog-missing');
  const { definitionHash } = tools[0]!;
  expect(await shelfOf(organizationId)).toMatchObject({
    name: 'Our shelf',
    purposes: ['storage', 'archive'],
    revisions: { credential: 0, settings: 0, tools: 0, grants: 0 },
    tools: [
      { name: 'read_shelf', selected: true, quarantined: false, definitionHash },
      { name: 'count_shelf', selected: true, quarantined: true },
      { name: 'removed', selected: true, quarantined: false, definitionHash: 'before' },
    ],
  });
  const { rows } = await app.db.query<{ details: object }>(
    `select details from activity where organization_id = $1 and verb = 'integration.tools_quarantined'`,
    [organizationId],
  );
  expect(rows).toEqual([{ details: { tools: 1 } }]);
  expect(await shelfOf(without)).toMatchObject({ name: 'Shelves', profileGrants: ['chat', 'growth', 'operator'] });
  const { rows: versions } = await app.db.query('select distinct catalog_version from integration_preferences');
  expect(versions).toHaveLength(1);
});

it('leaves a retired one out of lists, by id readable, and makes no more of it', async () => {
  const before = await organizationOf(owner);
  entry.status = 'retired';
  const after = await organizationOf(owner);
  const { body } = await owner.get(`/organizations/${before}/integrations`);
  expect(body.data.map(({ key }: { key: string }) => key)).not.toContain('shelf');
  expect(await shelfOf(before)).toMatchObject({ readiness: 'retired', retired: true });
  expect(await shelfOf(after)).toBeUndefined();
});
