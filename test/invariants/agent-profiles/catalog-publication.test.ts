import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../../src/config/index.ts';
import { readCatalogFolder } from '../../../src/modules/agent-profiles/catalogs/catalog-folder.ts';
import { catalogFolder, edition, emptyFolder } from '../../support/factories/catalog-folder.ts';
import { createOrganization } from '../../support/client.ts';
import { onDatabase, ServiceProcess } from '../../support/processes/service-process.ts';
import { TestApp } from '../../support/test-app.ts';
import { freshDatabase } from '../../support/database/test-database.ts';

afterEach(() => ServiceProcess.killAll());

/** What a start with this catalog leaves: the replica does something, then ends. */
async function boot<T>(databaseUrl: string, folder: string, work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await TestApp.start({ databaseUrl, env: { CATALOG_DIR: folder } });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

async function revisionOf(app: TestApp): Promise<string> {
  return (await app.bootstrap.get('/agent-profile-templates')).body.data.revision as string;
}

describe('publication at boot', () => {
  it('publishes a higher version and moves the profiles that follow the catalog, and only what nobody changed', async () => {
    const databaseUrl = await freshDatabase('migrated');
    const folder = edition(1);
    let path = '';
    const made = await boot(databaseUrl, folder, async (app) => {
      const { organization, agentProfiles } = (await createOrganization(app.bootstrap)).body.data;
      path = `/organizations/${organization.id}/agent-profiles`;
      const growth = (key: string, more: object = {}) =>
        app.bootstrap.post(path, { key, name: key, kind: 'department', department: 'growth', ...more });
      await growth('follows');
      await growth('pinned', { config: { catalogSource: { updatePolicy: 'pinned' } } });
      await growth('own-instructions', { instructionsUri: 'https://acme.example/growth.md' });
      await growth('own-config', { config: { skillKeys: ['ours'] } });
      const deleted = await growth('deleted');
      await app.bootstrap.delete(`${path}/${deleted.body.data.id}`);
      expect(agentProfiles).toHaveLength(5);
      return revisionOf(app);
    });

    await boot(databaseUrl, edition(2), async (app) => {
      const current = await revisionOf(app);
      expect(current).not.toBe(made);
      const { data } = (await app.bootstrap.get(path)).body;
      const shown = Object.fromEntries(
        data.map(
          (profile: {
            key: string;
            instructionsUri: string;
            config: { runtime: { model: string }; catalogSource: { revision: string } };
          }) => [
            profile.key,
            [profile.config.catalogSource.revision, profile.config.runtime.model, profile.instructionsUri],
          ],
        ),
      );
      const uri = (revision: string, key: string) => `service://catalog/${revision}/${key}/instructions`;
      expect(shown).toEqual({
        operator: [current, 'default', uri(current, 'operator')],
        chat: [current, 'default', uri(current, 'chat')],
        growth: [current, 'model-2', uri(current, 'growth')],
        engineering: [current, 'default', uri(current, 'engineering')],
        support: [current, 'default', uri(current, 'support')],
        follows: [current, 'model-2', uri(current, 'growth')],
        pinned: [made, 'model-1', uri(made, 'growth')],
        'own-instructions': [made, 'model-1', 'https://acme.example/growth.md'],
        'own-config': [current, 'model-1', uri(current, 'growth')],
      });
      const { rows } = await app.db.query(`select catalog_revision from agent_profile where key = 'deleted'`);
      expect(rows).toEqual([{ catalog_revision: made }]);
    });
  });

  it('moves profiles that missed an edition, from wherever they stand', async () => {
    const databaseUrl = await freshDatabase('migrated');
    const made = await boot(databaseUrl, edition(1), async (app) => {
      await createOrganization(app.bootstrap);
      return revisionOf(app);
    });
    await boot(databaseUrl, edition(2), async (app) => {
      await app.db.query(
        `update agent_profile set catalog_revision = $1, instructions_uri = replace(instructions_uri, catalog_revision, $1)`,
        [made],
      );
    });
    await boot(databaseUrl, edition(3), async (app) => {
      const { rows } = await app.db.query('select distinct catalog_revision as revision from agent_profile');
      expect(rows).toEqual([{ revision: await revisionOf(app) }]);
    });
  });

  it('never turns back to a lower version', async () => {
    const databaseUrl = await freshDatabase('migrated');
    const current = await boot(databaseUrl, edition(7), async (app) => {
      await createOrganization(app.bootstrap);
      return revisionOf(app);
    });
    await boot(databaseUrl, edition(6), async (app) => {
      expect(await revisionOf(app)).toBe(current);
      const { rows } = await app.db.query('select distinct catalog_revision as revision from agent_profile');
      expect(rows).toEqual([{ revision: current }]);
      expect((await app.db.query('select version from catalog_revision')).rows).toEqual([{ version: 7 }]);
    });
  });

  it('does not publish other content under the same version, nor the same content twice', async () => {
    const databaseUrl = await freshDatabase('migrated');
    const current = await boot(databaseUrl, edition(1), revisionOf);
    const reworded = catalogFolder((catalog) => (catalog.version = 1), { growth: 'Other words.' });
    for (const folder of [edition(1, 'other'), edition(1), reworded])
      expect(await boot(databaseUrl, folder, revisionOf)).toBe(current);
  });

  it('counts instructions as content of a revision', async () => {
    const revisions = [];
    for (const text of ['One.', 'Two.'])
      revisions.push(
        await boot(await freshDatabase('migrated'), catalogFolder(undefined, { growth: text }), revisionOf),
      );
    expect(revisions[0]).not.toBe(revisions[1]);
  });

  it('is done once by replicas that start at once', async () => {
    const databaseUrl = await freshDatabase('migrated');
    await boot(databaseUrl, edition(1), (app) => createOrganization(app.bootstrap));
    const folder = edition(2);
    const replicas = await Promise.all(
      Array.from({ length: 4 }, () => TestApp.start({ databaseUrl, env: { CATALOG_DIR: folder } })),
    );
    try {
      const { db } = replicas[0]!;
      expect((await db.query('select version from catalog_revision order by version')).rows).toEqual([
        { version: 1 },
        { version: 2 },
      ]);
      const { rows } = await db.query(
        `select count(distinct catalog_revision)::int as revisions, count(distinct updated_at)::int as moves from agent_profile`,
      );
      expect(rows).toEqual([{ revisions: 1, moves: 5 }]);
    } finally {
      for (const replica of replicas) await replica.close();
    }
  });
});

describe('an invalid catalog', () => {
  it('stops the start with one line', async () => {
    const CATALOG_DIR = catalogFolder((catalog) => (catalog.profiles[2].config.runtime.reasoningEffort = ''));
    const env = onDatabase(await freshDatabase('migrated'), { CATALOG_DIR });
    const { code, stderr } = await ServiceProcess.refusal({ env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^CATALOG_DIR: [^\n]+\.reasoningEffort must have 1 to 40 characters[^\n]*\n$/);
  });

  const broken = (text: string) => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'catalog.json'), text);
    return folder;
  };
  it.each([
    ['no folder', () => '/nowhere/at/all', 'there is no folder /nowhere/at/all'],
    ['no JSON', () => broken('{'), 'is not valid JSON'],
    ['no catalog', () => broken('{}'), 'version'],
    ['an unknown property', () => catalogFolder((catalog) => (catalog.colour = 'red')), 'colour'],
    ['a version of 0', () => catalogFolder((catalog) => (catalog.version = 0)), 'version'],
    ['one key twice', () => catalogFolder(({ profiles }) => profiles.push(profiles[0])), 'two profiles have one key'],
    ['no instructions', () => catalogFolder(({ profiles }) => (profiles[2].key = 'sales')), 'sales.md is missing'],
  ])('is one with %s', (_what, folder, problem) => {
    const read = () => readCatalogFolder(folder());
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(/^CATALOG_DIR: [^\n]+$/);
    expect(read).toThrow(problem);
  });
});
