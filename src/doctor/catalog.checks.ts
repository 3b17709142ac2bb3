import type { Config } from '../config/index.ts';
import { type CatalogEdition, currentCatalog, readCatalogFolder, standingOf } from '../modules/agent-profiles/index.ts';
import type { Connections } from './database.checks.ts';
import { failure, type Finding, ok, warn } from './finding.ts';

/** Reads the catalog of the folder; undefined if there is none, or if a start would refuse it. */
export function* checkCatalog({ catalogDir }: Config): Generator<Finding, CatalogEdition | undefined> {
  try {
    const edition = readCatalogFolder(catalogDir);
    if (edition)
      yield ok('CATALOG_DIR', `version ${edition.catalog.version} has ${edition.catalog.profiles.length} profiles`);
    else yield warn('CATALOG_DIR', `there is no catalog.json in ${catalogDir}: nothing is published`);
    return edition;
  } catch (error) {
    yield failure('CATALOG_DIR', error);
    return undefined;
  }
}

/** Says what a start would do with the catalog. */
export async function* checkPublication(edition: CatalogEdition, { direct }: Connections): AsyncGenerator<Finding> {
  const { version } = edition.catalog;
  const [published] = await direct.rows(currentCatalog());
  const standing = standingOf(edition, published);
  const about = 'CATALOG_DIR';
  if (standing === 'newer') yield ok(about, `the start publishes version ${version}`);
  if (standing === 'published') yield ok(about, `version ${version} is published`);
  if (standing === 'changed')
    yield warn(about, `version ${version} is published with other content; raise "version" to publish this one`);
  if (standing === 'older')
    yield warn(about, `version ${version} is older than the published ${published!.catalog.version} and is ignored`);
}
