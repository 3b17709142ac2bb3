import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../config/index.ts';
import { type Statement, statement, Transactions } from '../../kernel/database/index.ts';
import { type CatalogEdition, configFrom, instructionsUri, type PublishedCatalog, revisionOf } from './catalog.ts';
import { readCatalogFolder } from './catalog-folder.ts';
import { everyCatalog } from './catalog.queries.ts';

type Run = <Row>(query: Statement<Row>) => Promise<Row[]>;

/** Publishes the shipped catalog at boot, where it is newer than what the database has. */
@Injectable()
export class CatalogPublication implements OnApplicationBootstrap {
  private readonly logger = new Logger('Catalog');
  private readonly transactions: Transactions;
  private readonly folder: string;

  constructor(transactions: Transactions, config: Config) {
    this.transactions = transactions;
    this.folder = config.catalogDir;
  }

  async onApplicationBootstrap(): Promise<void> {
    const edition = readCatalogFolder(this.folder);
    if (edition) await this.publish(edition);
    else this.logger.warn(`no catalog.json in ${this.folder}: nothing is published`);
  }

  /**
   * Of replicas that start at once one publishes. An edition that is not newer is left alone: an old replica that
   * restarts during a rollout must not turn the pointer back.
   */
  async publish(edition: CatalogEdition): Promise<void> {
    await this.transactions.dispatch(async (run) => {
      await run(statement(`select pg_advisory_xact_lock(hashtext('catalog publication'))`));
      const published = await run(everyCatalog());
      const revision = revisionOf(edition);
      const current = published[0];
      if (current && current.catalog.version >= edition.catalog.version) {
        if (current.catalog.version === edition.catalog.version && current.revision !== revision)
          this.logger.warn(
            `catalog version ${current.catalog.version} is published with other content: raise "version"`,
          );
        return;
      }
      await run(
        statement(
          `insert into catalog_revision (revision, version, catalog, instructions) values ($1, $2, $3::jsonb, $4::jsonb)`,
          revision,
          edition.catalog.version,
          JSON.stringify(edition.catalog),
          JSON.stringify(edition.instructions),
        ),
      );
      const moved = await this.repin(run, published, { revision, catalog: edition.catalog });
      this.logger.log(
        `published version ${edition.catalog.version} (${revision.slice(0, 12)}), moved ${moved} profiles`,
      );
    });
  }

  /**
   * Moves `auto` profiles to the new revision. Those with instructions of their own stay, and so does a configuration
   * that somebody changed: only one that still is the old template's becomes the new template's.
   */
  private async repin(run: Run, published: readonly PublishedCatalog[], next: PublishedCatalog): Promise<number> {
    let moved = 0;
    for (const { revision, catalog } of published)
      for (const template of next.catalog.profiles) {
        const before = catalog.profiles.find(({ key }) => key === template.key);
        const rows = await run(
          statement(
            `update agent_profile
             set catalog_revision = $1, instructions_uri = $2, updated_at = clock_timestamp(),
                 config = case when config = $3::jsonb then $4::jsonb else config end
             where catalog_template_key = $5 and catalog_revision = $6 and catalog_update_policy = 'auto'
               and instructions_uri = $7 and deleted_at is null
             returning 1`,
            next.revision,
            instructionsUri(next.revision, template.key),
            JSON.stringify(configFrom(catalog, before)),
            JSON.stringify(configFrom(next.catalog, template)),
            template.key,
            revision,
            instructionsUri(revision, template.key),
          ),
        );
        moved += rows.length;
      }
    return moved;
  }
}
