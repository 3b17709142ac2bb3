import type * as SearchModule from '../../src/modules/knowledge/knowledge-search.queries.ts';
import type * as TermsModule from '../../src/modules/knowledge/words/search-terms.ts';
import type * as WordsModule from '../../src/modules/knowledge/words/record-words.ts';

// From the build: the sources have decorators, which Node does not strip.
async function built<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../dist/src/modules/knowledge/${path}`, import.meta.url).href)) as Module;
}
const { foundKnowledge } = await built<typeof SearchModule>('knowledge-search.queries.js');
const { soughtTerms } = await built<typeof TermsModule>('words/search-terms.js');
export const { termsOfRecord } = await built<typeof WordsModule>('words/record-words.js');

/** A search as an execution of a department sends it, and the plainest ranked query over the same index. */
export function searches(organizationId: string, sought: string) {
  const terms = soughtTerms(sought);
  const service = foundKnowledge(organizationId, {
    audience: { readsAll: false, department: 'support', usableKeys: [], stamps: {} },
    terms,
    freshness: ['current'],
    department: null,
    origin: null,
    after: null,
    limit: 51,
  });
  const any = terms.map(({ query, stem }) => `(${stem?.query ?? query})`).join(' | ');
  const text = `select knowledge_id, ts_rank(terms, $2::tsquery) from knowledge_passage
    where organization_id = $1 and terms @@ $2::tsquery
    order by ts_rank(terms, $2::tsquery) desc, knowledge_id desc limit 51`;
  return { service, bare: { text, values: [organizationId, any] } };
}
