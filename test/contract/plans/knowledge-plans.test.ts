import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '../../../src/kernel/database/index.ts';
import { asSubject } from '../../../src/kernel/tenancy/index.ts';
import { audienceOf } from '../../../src/modules/knowledge/audience.queries.ts';
import {
  foundKnowledge,
  type Search,
  similarKnowledge,
} from '../../../src/modules/knowledge/knowledge-search.queries.ts';
import { anyStanding, knowledgeOf } from '../../../src/modules/knowledge/knowledge.queries.ts';
import { soughtTerms } from '../../../src/modules/knowledge/words/search-terms.ts';
import { organizationOf } from '../../support/client.ts';
import { explainIn, nodes, type Plan } from '../../support/database/query-plans.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

const RECORDS = 20_000;
/** One in so many has the word that is sought. */
const RARE = 500;
/** Of those, how many support may read: all but the third ones, of growth. */
const READABLE = 27;

const app = useTestApp({ ownDatabase: true });
const owner = usePerson(app);
let organizationId: string;

const audience = audienceOf({ department: 'support' } as Parameters<typeof audienceOf>[0], []);

beforeAll(async () => {
  organizationId = await organizationOf(owner);
  await app.db.query(
    `insert into knowledge (organization_id, id, key, title, title_words, finding, applicability, procedure, visibility,
       department, required_connector_keys, source_versions, stamps, evidence, origin, content_digest, finding_digest,
       retained_at)
     select $1, uuidv7(), 'record-' || n, 'Title ' || md5(n::text), 'title ' || md5(n::text), 'A finding.', '', '{}',
       case when n % 3 = 0 then 'department' else 'organization' end, case when n % 2 = 0 then 'growth' else 'support' end,
       '{}', '[]', '{}', '[]', 'execution', n, n, now()
     from generate_series(1, $2::int) n`,
    [organizationId, RECORDS],
  );
  await app.db.query(
    `insert into knowledge_passage (organization_id, knowledge_id, ordinal, terms, live, origin, visibility, department,
       required_connector_keys, stamps)
     select k.organization_id, k.id, 0, array_to_tsvector(array[md5(k.key), 'common',
         case when k.content_digest::int % $2 = 0 then 'zephyrine' else 'calm' end]), true, k.origin, k.visibility,
       k.department, '{}', '{}'
     from knowledge k where k.organization_id = $1`,
    [organizationId, RARE],
  );
  await app.db.query('vacuum analyze knowledge, knowledge_passage');
}, 60_000);

const searchFor = (sought: string): Search => ({
  audience,
  terms: soughtTerms(sought),
  freshness: ['current'],
  department: null,
  origin: null,
  after: null,
  limit: 51,
});

const both = [
  ['the values known', false],
  ['a generic plan', true],
] as const;

describe.each(both)(`among ${RECORDS} records as the application's role, with %s`, (_what, generic) => {
  it('a search reads the passages that the index of words finds, and the records of a page', async () => {
    const [plan] = await plansOf(foundKnowledge(organizationId, searchFor('zephyrine')), generic);
    expect(scansOf(plan!)).toEqual([['Bitmap Heap Scan', undefined, READABLE]]);
    const terms = [...nodes(plan!)].find((node) => node['Index Name'] === 'knowledge_passage_terms')!;
    expect(terms).toMatchObject({ 'Node Type': 'Bitmap Index Scan', 'Actual Rows': RECORDS / RARE });
    const outer = await explainIn(app, organizationId, foundKnowledge(organizationId, searchFor('zephyrine')), generic);
    for (const [type] of scansOf(outer)) expect(type).toMatch(/^Index/);
  });

  it('a search for titles that are only similar goes by their trigrams', async () => {
    const search = similarKnowledge(organizationId, searchFor('x'), '00ac8ed3b4327bdd4ebbebcb2ba10a01');
    const [plan] = await plansOf(search, generic);
    expect([...nodes(plan!)].map((node) => node['Index Name'])).toContain('knowledge_titles');
    for (const [type, , rows] of scansOf(plan!)) expect([type, Number(rows) < 100]).toEqual(['Bitmap Heap Scan', true]);
  });

  it('a list walks what stands, and whether there is any is one look', async () => {
    const [page] = knowledgeOf(organizationId, audience, { limit: 50 }).statements();
    const plan = await explainIn(app, organizationId, page!, generic);
    const scans = scansOf(plan);
    expect(scans.map(([, index]) => index)).toContain('knowledge_standing');
    for (const [type, , rows] of scans) expect([type, Number(rows) < 100]).toEqual(['Index Scan', true]);
    const any = await explainIn(app, organizationId, anyStanding(organizationId), generic);
    for (const [type, , rows] of scansOf(any)) expect([type, rows]).toEqual([expect.stringMatching(/^Index/), 1]);
  });
});

/** How tables are read: the node, its index and the rows that came out. */
function scansOf(plan: Plan): [string, string | undefined, number | undefined][] {
  return [...nodes(plan)]
    .filter((node) => node['Relation Name'] !== undefined && node['Actual Loops'] !== 0)
    .map((node) => [node['Node Type'], node['Index Name'], node['Actual Rows']]);
}

/** The plans of the statements inside of functions, as a call by the application's role runs them. */
async function plansOf({ text, values }: Statement, generic: boolean): Promise<Plan[]> {
  const client = await app.db.connect();
  const plans: Plan[] = [];
  const note = ({ message = '' }: { message?: string | undefined }) => {
    const json = /plan:\n(\{[^]*\})$/.exec(message)?.[1];
    if (json !== undefined) plans.push((JSON.parse(json) as { Plan: Plan }).Plan);
  };
  client.on('notice', note);
  try {
    await client.query(`load 'auto_explain'`);
    await client.query('begin');
    for (const setting of [
      'log_min_duration = 0',
      'log_analyze = on',
      'log_nested_statements = on',
      'log_format = json',
    ])
      await client.query(`set local auto_explain.${setting}`);
    const { text: context, values: given } = asSubject('', organizationId);
    await client.query(context, [...given]);
    await client.query(`set local plan_cache_mode = ${generic ? 'force_generic_plan' : 'force_custom_plan'}`);
    await client.query('set local client_min_messages = log');
    await client.query(text, [...values]);
  } finally {
    await client.query('rollback');
    client.off('notice', note);
    client.release(true);
  }
  return plans.filter((plan) => scansOf(plan).length > 0);
}
