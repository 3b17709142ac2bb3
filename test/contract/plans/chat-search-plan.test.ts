import { beforeAll, describe, expect, it } from '@jest/globals';
import { firstChat, messageRow } from '../../support/factories/chats.ts';
import { organizationOf } from '../../support/client.ts';
import { nodes, type Plan } from '../../support/database/query-plans.ts';
import { useTestApp } from '../../support/use-test-app.ts';

const ORGANIZATIONS = 4;
const MESSAGES_EACH = 1_500;

const app = useTestApp({ ownDatabase: true });
const organizations: string[] = [];

beforeAll(async () => {
  const owner = await app.person();
  for (let n = 0; n < ORGANIZATIONS; n += 1) {
    const organizationId = await organizationOf(owner);
    organizations.push(organizationId);
    await app.db.query(
      `insert into message (organization_id, id, chat_id, role, status, parts)
       select $1, gen_random_uuid(), $2, 'user', 'complete', jsonb_build_array(jsonb_build_object('id', 'p1', 'kind', 'text',
         'text', (select string_agg(md5(n::text || word), ' ') from generate_series(1, 20) word)))
       from generate_series(1, $3::int) n`,
      [organizationId, await firstChat(app, organizationId), MESSAGES_EACH],
    );
  }
}, 120_000);

describe('the search over chats', () => {
  it('finds substrings of titles and messages in any case, signs as they are, in the entered organization alone', async () => {
    const [mine, theirs] = organizations as [string, string];
    const text = 'Ship 100% of the „Ärger“\nby_noon';
    for (const id of [mine, theirs])
      await messageRow(app, id, await firstChat(app, id), { parts: [{ id: 'p1', kind: 'text', text }] });
    const chat = await firstChat(app, mine);
    for (const wanted of ['100% OF', 'ärger', '“\nby_', 'new CH', 'w c'])
      expect(await search(mine, wanted)).toEqual([chat]);
    for (const wanted of ['100_', 'of%the', '\\', 'no such text']) expect(await search(mine, wanted)).toEqual([]);
    expect(await search('', 'ärger')).toEqual([]);
  });

  it('folds by Unicode whatever the locale of the text is', async () => {
    const { rows } = await app.db.query(
      `select search_text('ÄRGER' collate "C") as upper, search_text('ärger' collate "C") as lower`,
    );
    expect(rows).toEqual([{ upper: 'ärger', lower: 'ärger' }]);
  });

  it('takes a text of marks alone without composing it, and composes other long ones word by word', async () => {
    const marks = `a${'\u0301\u0316'.repeat(200_000)}`;
    const words = `e\u0301 ${'x '.repeat(1_000)}`;
    const started = performance.now();
    const { rows } = await app.db.query<{ long: number; word: boolean }>(
      `select char_length(search_text($1)) as long, starts_with(search_text($2), 'é x x') as word`,
      [marks, words],
    );
    expect(rows).toEqual([{ long: marks.length, word: true }]);
    // 20 ms alone; composed at once it takes minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it.each([
    ['the text known', false],
    ['a generic plan', true],
  ])('goes by the index, with %s', async (_what, generic) => {
    await app.db.query('vacuum analyze message, chat');
    const all = [...nodes(await explainSearch(organizations[0]!, 'c4ca4238a0b9', generic))];
    expect(all.map((node) => node['Index Name'])).toEqual(expect.arrayContaining(['message_search_text']));
    const scans = all.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
    expect(scans).not.toContain('message');
    const found = all.find((node) => node['Index Name'] === 'message_search_text')!;
    expect(found['Actual Rows']).toBeLessThan(MESSAGES_EACH / 10);
  });

  it.each(['привет', 'a b', 'ü'])('compares messages as they are for %j, which has no trigram', async (wanted) => {
    const all = [...nodes(await explainSearch(organizations[0]!, wanted, true))];
    const byForm = all.filter((node) => node['Index Cond']?.includes('message_text'));
    expect(byForm.map((node) => node['Actual Loops'])).toEqual([0]);
  });
});

function search(organizationId: string, wanted: string): Promise<string[]> {
  return undone(organizationId, 'br_app', async (query) => {
    const rows = await query<{ id: string }>('select search_chats($1) as id', [wanted]);
    return rows.map(({ id }) => id);
  });
}

/** How the function's body runs as whoever owns the tables sees it, which is not the superuser of the tests. */
async function explainSearch(organizationId: string, wanted: string, generic: boolean): Promise<Plan> {
  const { rows } = await app.db.query<{ prosrc: string }>(`select prosrc from pg_proc where proname = 'search_chats'`);
  const body = rows[0]!.prosrc.replaceAll('wanted', '$1');
  await app.db.query('grant select on chat, message to br_owner');
  return undone(organizationId, 'br_owner', async (query) => {
    await query(`set local plan_cache_mode = ${generic ? 'force_generic_plan' : 'auto'}`);
    const [explained] = await query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${body}`, [
      wanted,
    ]);
    return explained!['QUERY PLAN'][0].Plan;
  });
}

async function undone<T>(
  organizationId: string,
  role: string,
  work: (query: <Row>(text: string, values?: unknown[]) => Promise<Row[]>) => Promise<T>,
): Promise<T> {
  const client = await app.db.connect();
  try {
    await client.query('begin');
    await client.query(`select set_config('role', $1, true), set_config('app.org', $2, true)`, [role, organizationId]);
    return await work(
      async <Row>(text: string, values?: unknown[]) => (await client.query(text, values)).rows as Row[],
    );
  } finally {
    await client.query('rollback');
    client.release();
  }
}
