import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// oxlint-disable-next-line typescript/no-explicit-any -- tests break catalogs on purpose
type AnyCatalog = any;

/** A folder without a catalog, removed with the run. */
export function emptyFolder(): string {
  return mkdtempSync(join(process.env.TEST_FOLDER!, 'catalog-'));
}

/** A copy of the shipped catalog, changed. */
export function catalogFolder(change: (catalog: AnyCatalog, folder: string) => void = () => undefined): string {
  const folder = emptyFolder();
  cpSync('catalog', folder, { recursive: true });
  const file = join(folder, 'catalog.json');
  const catalog: AnyCatalog = JSON.parse(readFileSync(file, 'utf8'));
  change(catalog, folder);
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
