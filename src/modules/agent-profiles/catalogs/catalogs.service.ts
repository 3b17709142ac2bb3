import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { PublishedCatalog } from '../catalog.ts';
import { CatalogErrors } from './catalog.errors.ts';
import { catalogAt, currentCatalog, holdPublication } from './catalog.queries.ts';

/** Published catalogs. */
@Injectable()
export class CatalogsService {
  constructor(private readonly reads: Reads) {}

  /** The current one; 503 when none has been published. */
  async readCurrent(owner: OwnerPrincipal): Promise<PublishedCatalog> {
    const [catalog] = await this.reads.asSubject(owner.subject, currentCatalog());
    if (!catalog) throw new ApiError(CatalogErrors.unpublished);
    return catalog;
  }

  /**
   * The current one, or that of a revision: 404 when it was never published. A publication waits for transactions that
   * have read the current one, so that none of them leaves a profile at a revision that it has just moved all others from.
   */
  async readIn(tx: Tx, revision?: string): Promise<PublishedCatalog> {
    if (revision === undefined) await tx.rows(holdPublication());
    const [catalog] = await tx.rows(revision === undefined ? currentCatalog() : catalogAt([revision]));
    if (!catalog)
      throw new ApiError(revision === undefined ? CatalogErrors.unpublished : CatalogErrors.revisionNotFound);
    return catalog;
  }

  /** Catalogs by revision; those that were never published are missing. */
  async readManyIn(tx: Tx, revisions: readonly string[]): Promise<Map<string, PublishedCatalog>> {
    const rows = revisions.length > 0 ? await tx.rows(catalogAt([...new Set(revisions)])) : [];
    return new Map(rows.map((row) => [row.revision, row]));
  }
}
