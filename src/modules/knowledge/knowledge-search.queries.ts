import { sql, type Statement } from '../../kernel/database/index.ts';
import type { Department } from '../organizations/index.ts';
import type { Audience } from './audience.queries.ts';
import { type KnowledgeRow, knowledgeColumns } from './knowledge.queries.ts';
import type { Freshness, Origin } from './knowledge.state.ts';
import { indispensable, type SoughtTerm, weightOf } from './words/search-terms.ts';

/** What is sought, by whom. */
export interface Search {
  readonly audience: Audience;
  readonly terms: readonly SoughtTerm[];
  readonly freshness: readonly Freshness[];
  readonly department: Department | null;
  readonly origin: Origin | null;
  /** The last record of the page before. */
  readonly after: string | null;
  readonly limit: number;
}

export interface FoundRow extends KnowledgeRow {
  /** The passage that matches best, or null where it is the finding. */
  readonly passage: string | null;
}

/** A row without an id tells that the cursor is none. */
export type FoundOrLost = FoundRow | { readonly id: null };

/**
 * Records that match at least half of what is sought, the best first and then the newest. The score depends on what is
 * sought and on the record alone.
 */
export function foundKnowledge(organizationId: string, search: Search): Statement<FoundOrLost> {
  const { audience, terms, freshness, department, origin, after, limit } = search;
  return sql`
    select ${knowledgeColumns(organizationId, audience)}, p.text as passage
    from search_knowledge(${indispensable(terms)}::tsquery,
      ${terms.map(({ query }) => query)}::text[]::tsquery[], ${terms.map(({ inTitle }) => inTitle)}::text[]::tsquery[],
      ${terms.map(({ stem }) => stem?.query ?? null)}::text[]::tsquery[],
      ${terms.map(({ stem }) => stem?.inTitle ?? null)}::text[]::tsquery[],
      ${terms.map(({ weight }) => weight)}::int[], ${Math.ceil(weightOf(terms) / 2)}::int,
      ${audience.readsAll}::boolean, ${audience.department}::text, ${[...audience.usableKeys]}::text[],
      ${JSON.stringify(audience.stamps)}::jsonb, ${[...freshness]}::text[], ${department}::text, ${origin}::text,
      ${after}::uuid, ${limit}::int) found
    left join knowledge k on k.organization_id = ${organizationId} and k.id = found.knowledge_id
    left join knowledge_passage p on p.organization_id = ${organizationId} and p.knowledge_id = found.knowledge_id
      and p.ordinal = found.ordinal
    order by found.score desc, found.knowledge_id desc`;
}

/** Ends the statements that follow in the transaction when they take too long. */
export function limitedTo(timeoutMs: number): Statement {
  return sql`set local statement_timeout = ${sql.raw(String(timeoutMs))}`;
}

/** Records whose titles are like what is sought, the likest first and then the newest. */
export function similarKnowledge(
  organizationId: string,
  { audience, freshness, department, origin, limit }: Search,
  words: string,
): Statement<KnowledgeRow> {
  return sql`
    select ${knowledgeColumns(organizationId, audience)}
    from similar_knowledge(${words}::text, ${audience.readsAll}::boolean, ${audience.department}::text,
      ${[...audience.usableKeys]}::text[], ${JSON.stringify(audience.stamps)}::jsonb, ${[...freshness]}::text[],
      ${department}::text, ${origin}::text, ${limit}::int) found
    join knowledge k on k.organization_id = ${organizationId} and k.id = found.knowledge_id
    order by found.likeness desc, k.id desc`;
}
