import { columns, type Statement, statement } from '../../../kernel/database/index.ts';
import type { PublishedCatalog } from '../catalog.ts';

const select = columns<PublishedCatalog>({ revision: 'c.revision', catalog: 'c.catalog' });

export function currentCatalog(): Statement<PublishedCatalog> {
  return statement(`select ${select} from catalog_revision c order by c.version desc limit 1`);
}

export function catalogAt(revisions: readonly string[]): Statement<PublishedCatalog> {
  return statement(`select ${select} from catalog_revision c where c.revision = any($1::text[])`, revisions);
}

export function everyCatalog(): Statement<PublishedCatalog> {
  return statement(`select ${select} from catalog_revision c order by c.version desc`);
}

const PUBLICATION = `hashtext('catalog publication')`;

/** Publications go one at a time. */
export function lockPublication(): Statement {
  return statement(`select pg_advisory_xact_lock(${PUBLICATION})`);
}

/** Holds publications back until this transaction ends. */
export function holdPublication(): Statement {
  return statement(`select pg_advisory_xact_lock_shared(${PUBLICATION})`);
}
