import { Injectable } from '@nestjs/common';
import { statement, type Tx } from '../../kernel/database/index.ts';
import { slugBase } from './organization.policy.ts';

/** Gives out slugs, unique across organizations. */
@Injectable()
export class OrganizationSlugsService {
  /**
   * Takes the name's slug or the first free `-2`, `-3` …; a concurrent taker is waited for and then avoided. The series
   * stands in a select list, where it is made as far as it is needed (measured: 0.04 ms; in FROM, made whole, 43 ms).
   */
  async take(tx: Tx, organizationId: string, name: string): Promise<string> {
    const base = slugBase(name);
    for (;;) {
      const [taken] = await tx.rows<{ slug: string }>(
        statement(
          `insert into organization_slug (slug, organization_id)
           select candidate, $2 from (
             select case n when 1 then $1 else $1 || '-' || n end as candidate
             from (select generate_series(1, 1000000) as n) numbers) c
           where not exists (select from organization_slug s where s.slug = candidate)
           limit 1
           on conflict (slug) do nothing
           returning slug`,
          base,
          organizationId,
        ),
      );
      if (taken) return taken.slug;
    }
  }
}
