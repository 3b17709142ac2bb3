import { Migration } from '@mikro-orm/migrations';

/** The search over knowledge, which under row-level security would read every passage of the organization. */
export class Migration20261129204900KnowledgeSearch extends Migration {
  override name = 'Migration20261129204900KnowledgeSearch';

  override up(): void {
    // What one of the sought terms weighs in a passage: in thousands what matched, and below them the same with what matched
    // in titles and keys once more. A stem counts for half.
    this
      .addSql(`create function knowledge_term_weight(terms tsvector, word tsquery, title tsquery, stem tsquery, stem_title tsquery, weight int)
      returns int language sql immutable parallel safe as $$
        select case
          when terms @@ word then weight * 1001 +
            case when terms @@ title then weight when terms @@ stem_title then weight / 2 else 0 end
          when terms @@ stem then weight / 2 * 1001 + case when terms @@ stem_title then weight / 2 else 0 end
          else 0 end
      $$;`);
    // Who may read a passage, and whether it is as fresh as wanted: the conditions of `audience.queries.ts` over the copies.
    const SHOWN = `(everything or ((p.visibility <> 'department' or reader_department is null or p.department = reader_department)
            and p.required_connector_keys <@ usable))
          and (of_department is null or p.department = of_department)
          and (of_origin is null or p.origin = of_origin)`;
    const FRESH = `(case when p.valid_until <= clock_timestamp() then 'expired' when not p.stamps <@ present then 'source_changed'
            else 'current' end) = any(wanted)`;
    const WEIGHT = Array.from(
      { length: 8 },
      (_, n) => `knowledge_term_weight(p.terms, w${n}, t${n}, s${n}, st${n}, weight${n})`,
    ).join(' + ');
    const TERMS = Array.from(
      { length: 8 },
      (_, n) => `w${n} tsquery := words[${n + 1}]; t${n} tsquery := titles[${n + 1}]; s${n} tsquery := stems[${n + 1}];
          st${n} tsquery := stem_titles[${n + 1}]; weight${n} int := coalesce(weights[${n + 1}], 0);`,
    ).join(' ');
    // Records whose best passage weighs at least `threshold`. A record after which to go on that is not found by all of this,
    // whether or not it was superseded since, answers a row without an id.
    this.addSql(`create function search_knowledge(needed tsquery, words tsquery[], titles tsquery[], stems tsquery[],
        stem_titles tsquery[], weights int[], threshold int, everything boolean, reader_department text, usable text[],
        present jsonb, wanted text[], of_department text, of_origin text, after uuid, most int)
      returns table (knowledge_id uuid, score int, ordinal int)
      language plpgsql stable security definer set search_path = public, pg_temp as $$
        #variable_conflict use_column
        declare
          org uuid := nullif(current_setting('app.org', true), '')::uuid;
          ${TERMS}
          reached int;
        begin
          if after is not null then
            select max(given.weight % 1000) into reached
            from (select ${WEIGHT} as weight from knowledge_passage p
                  join knowledge k on k.organization_id = org and k.id = after and (everything or k.revoked_at is null)
                  where p.organization_id = org and p.knowledge_id = after and ${SHOWN} offset 0) given
            where given.weight / 1000 >= threshold;
            if reached is null then
              return query select null::uuid, null::int, null::int;
              return;
            end if;
          end if;
          return query
            select best.id, best.score, best.ordinal from (
              select found.id, ((found.rank + 999999) / 1000000)::int as score,
                ((found.rank + 999999) / 1000000 * 1000000 - found.rank)::int as ordinal, found.origin
              from (
                -- the best passage of each record: the score, and of equal ones the first
                select given.id, max((given.weight % 1000) * 1000000::bigint - given.ordinal) as rank, min(given.origin) as origin
                from (select p.knowledge_id as id, p.ordinal, p.origin, ${WEIGHT} as weight
                      from knowledge_passage p
                      where p.organization_id = org and p.terms @@ needed and p.live and ${SHOWN} and ${FRESH}
                      offset 0) given
                where given.weight / 1000 >= threshold
                group by given.id) found
              order by score desc, id desc) best
            where (after is null or (best.score, best.id) < (reached, after))
              -- passages of material stand before their record does
              and (best.origin = 'execution'
                or exists (select from knowledge k where k.organization_id = org and k.id = best.id offset 0))
            limit most;
        end
      $$;`);
    this
      .addSql(`create function similar_knowledge(sought text, everything boolean, reader_department text, usable text[],
        present jsonb, wanted text[], of_department text, of_origin text, most int)
      returns table (knowledge_id uuid, likeness real)
      language plpgsql stable security definer set search_path = public, pg_temp as $$
        #variable_conflict use_column
        declare
          org uuid := nullif(current_setting('app.org', true), '')::uuid;
        begin
          perform set_config('pg_trgm.word_similarity_threshold', '0.5', true);
          return query
            select p.id, word_similarity(sought, p.title_words) as likeness from knowledge p
            where p.organization_id = org and p.superseded_by is null and p.revoked_at is null and p.title_words %> sought
              and ${SHOWN} and ${FRESH}
            order by likeness desc, p.id desc limit most;
        end
      $$;`);
    for (const name of ['search_knowledge', 'similar_knowledge', 'knowledge_term_weight']) {
      this.addSql(`revoke execute on function ${name} from public;`);
      if (name !== 'knowledge_term_weight') this.addSql(`grant execute on function ${name} to br_app;`);
    }
  }
}
