import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { CatalogEdition, PublishedCatalog, TemplateConfig } from '../catalog.ts';

const select = columns<PublishedCatalog>({ revision: 'c.revision', catalog: 'c.catalog' });

export function currentCatalog(): Statement<PublishedCatalog> {
  return sql`select ${select} from catalog_revision c order by c.version desc limit 1`;
}

export function catalogAt(revisions: readonly string[]): Statement<PublishedCatalog> {
  return sql`select ${select} from catalog_revision c where c.revision = any(${revisions}::text[])`;
}

export function everyCatalog(): Statement<PublishedCatalog> {
  return sql`select ${select} from catalog_revision c order by c.version desc`;
}

const PUBLICATION = sql`hashtext('catalog publication')`;

/** Publications go one at a time. */
export function lockPublication(): Statement {
  return sql`select pg_advisory_xact_lock(${PUBLICATION})`;
}

/** Holds publications back until this transaction ends. */
export function holdPublication(): Statement {
  return sql`select pg_advisory_xact_lock_shared(${PUBLICATION})`;
}

export function insertCatalog({ revision, catalog }: PublishedCatalog, { instructions }: CatalogEdition): Statement {
  return sql`
    insert into catalog_revision (revision, version, catalog, instructions)
    values (${revision}, ${catalog.version}, ${JSON.stringify(catalog)}::jsonb, ${JSON.stringify(instructions)}::jsonb)`;
}

/** Where profiles of one template are moved from or to. */
export interface TemplatePlace {
  readonly revision: string;
  readonly instructionsUri: string;
  readonly config: TemplateConfig;
}

/** Moves the `auto` profiles of a template from one revision to another; answers a row for each. */
export function moveProfiles(templateKey: string, from: TemplatePlace, to: TemplatePlace): Statement {
  return sql`
    update agent_profile
    set catalog_revision = ${to.revision}, instructions_uri = ${to.instructionsUri}, updated_at = clock_timestamp(),
        config = case when config = ${JSON.stringify(from.config)}::jsonb
                      then ${JSON.stringify(to.config)}::jsonb else config end
    where catalog_template_key = ${templateKey} and catalog_revision = ${from.revision}
      and catalog_update_policy = 'auto' and instructions_uri = ${from.instructionsUri} and deleted_at is null
    returning 1`;
}
