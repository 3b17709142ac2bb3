import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCatalogFolder } from '../../../src/modules/agent-profiles/catalogs/catalog-folder.ts';
import { CatalogPublicationService } from '../../../src/modules/agent-profiles/catalogs/catalog-publication.service.ts';
import { newFolder } from '../folders.ts';
import type { TestApp } from '../test-app.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- tests break catalogs on purpose
type AnyCatalog = any;

/** A folder without a catalog, removed with the run. */
export function emptyFolder(): string {
  return newFolder('catalog');
}

/** A copy of the shipped catalog, changed; `instructions` adds or replaces those of a key. */
export function catalogFolder(
  change: (catalog: AnyCatalog) => void = () => undefined,
  instructions: Readonly<Record<string, string>> = {},
): string {
  const folder = emptyFolder();
  cpSync('catalog', folder, { recursive: true });
  for (const [key, text] of Object.entries(instructions))
    writeFileSync(join(folder, 'instructions', `${key}.md`), text);
  const file = join(folder, 'catalog.json');
  const catalog: AnyCatalog = JSON.parse(readFileSync(file, 'utf8'));
  change(catalog);
  writeFileSync(file, JSON.stringify(catalog));
  return folder;
}

/** A catalog of this version whose growth template runs on `model`. */
export function edition(version: number, model = `model-${version}`): string {
  return catalogFolder((catalog) => {
    catalog.version = version;
    catalog.profiles.find(({ key }: { key: string }) => key === 'growth').config.runtime.model = model;
  });
}

/** Publishes a folder as a replica does at its start; answers the current revision afterwards. */
export async function publish(app: TestApp, folder: string): Promise<string> {
  await app.app.get(CatalogPublicationService).publish(readCatalogFolder(folder)!);
  const { body } = await app.bootstrap.get('/agent-profile-templates');
  return body.data.revision as string;
}
