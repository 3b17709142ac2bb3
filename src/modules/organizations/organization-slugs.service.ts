import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { slugBase } from './organization.policy.ts';
import { takeFreeSlug, takeSlug } from './organizations.queries.ts';

/** Gives out slugs, unique across organizations. */
@Injectable()
export class OrganizationSlugsService {
  /** Takes the name's slug or the first free `-2`, `-3` …; waits for a concurrent taker, then avoids its slug. */
  async take(tx: Tx, name: string): Promise<string> {
    const base = slugBase(name);
    for (;;) {
      const [taken] = await tx.rows(takeFreeSlug(tx.organizationId, base));
      if (taken) return taken.slug;
    }
  }

  /** Takes exactly this slug, if it is free. */
  async takeExactly(tx: Tx, slug: string): Promise<boolean> {
    return (await tx.rows(takeSlug(tx.organizationId, slug))).length > 0;
  }
}
