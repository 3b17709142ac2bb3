import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { type Execute, Migrations, Transactions } from '../../../kernel/database/index.ts';
import {
  type CatalogEdition,
  configFrom,
  instructionsUri,
  type PublishedCatalog,
  revisionOf,
  standingOf,
} from '../catalog.ts';
import { readCatalogFolder } from './catalog-folder.ts';
import { everyCatalog, insertCatalog, lockPublication, moveProfiles, type TemplatePlace } from './catalog.queries.ts';

const RETRY_MS = 5_000;

/** Publishes the shipped catalog at boot, where it is newer than what the database has. */
@Injectable()
export class CatalogPublicationService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Catalog');
  private readonly folder: string;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly transactions: Transactions,
    private readonly migrations: Migrations,
    config: Config,
  ) {
    this.folder = config.catalogDir;
  }

  async onApplicationBootstrap(): Promise<void> {
    const edition = readCatalogFolder(this.folder);
    if (edition) await this.publishOnceMigrated(edition);
    else this.logger.warn(`no catalog.json in ${this.folder}: nothing is published`);
  }

  onApplicationShutdown(): void {
    clearTimeout(this.retry);
  }

  /** Where migrations are run by hand the process may be up before them, unready. */
  private async publishOnceMigrated(edition: CatalogEdition): Promise<void> {
    if ((await this.migrations.missing()).length === 0) return this.publish(edition);
    this.logger.warn('the catalog waits for the migrations');
    this.retry = setTimeout(() => void this.publishOnceMigrated(edition).catch(this.failed), RETRY_MS).unref();
  }

  private readonly failed = (error: unknown): void => {
    this.logger.error('the catalog was not published', (error as Error).stack);
  };

  /**
   * Of replicas that start at once one publishes. An edition that is not newer is left alone. Published or not, `auto`
   * profiles then follow the current revision.
   */
  async publish(edition: CatalogEdition): Promise<void> {
    await this.transactions.dispatch(async (execute) => {
      await execute(lockPublication());
      const published = await execute(everyCatalog());
      const next = { revision: revisionOf(edition), catalog: edition.catalog };
      const current = published[0];
      const standing = standingOf(edition, current);
      if (!current || standing === 'newer') {
        await execute(insertCatalog(next, edition));
        await this.follow(execute, published, next);
        return;
      }
      if (standing === 'changed')
        this.logger.warn(`version ${current.catalog.version} is published with other content: raise "version"`);
      await this.follow(execute, published.slice(1), current);
    });
  }

  /**
   * Moves `auto` profiles to the current revision. Those with instructions of their own stay, and so does a configuration
   * that an owner changed: only one that still is the old template's becomes the new template's.
   */
  private async follow(
    execute: Execute,
    earlier: readonly PublishedCatalog[],
    current: PublishedCatalog,
  ): Promise<void> {
    let moved = 0;
    for (const before of earlier)
      for (const { key } of current.catalog.profiles)
        moved += (await execute(moveProfiles(key, placeIn(before, key), placeIn(current, key)))).length;
    const { catalog, revision } = current;
    this.logger.log(
      `version ${catalog.version} (${revision.slice(0, 12)}) is current, ${moved} profiles were moved to it`,
    );
  }
}

/** Where a revision of the catalog puts the profiles of one of its templates. */
function placeIn({ revision, catalog }: PublishedCatalog, key: string): TemplatePlace {
  const template = catalog.profiles.find((each) => each.key === key);
  return { revision, instructionsUri: instructionsUri(revision, key), config: configFrom(catalog, template) };
}
