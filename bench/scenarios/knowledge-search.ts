import pg from 'pg';
import { searches, termsOfRecord } from '../baselines/knowledge-search.ts';
import type { Bench } from '../bench.ts';
import { scenario } from '../scenario.ts';
import { median } from '../stats.ts';

const RECORDS = 100_000;
const BATCH = 2_000;
const CALLS = 5;

/** What is sought, by its row in the table. */
const SOUGHT = {
  '34 rare word': 'zephyrine',
  '34 word in a quarter': 'quarterly',
  '34 sentence of eight words': '',
  '34 Chinese word': '竞争对手',
};
type Key = keyof typeof SOUGHT;
const KEYS = Object.keys(SOUGHT) as Key[];

/** As the application's role with an audience, beside a ranked query that asks nobody who reads. */
export const knowledgeSearch = scenario({
  ids: [34],
  name: 'search over 100,000 records',
  metrics: Object.fromEntries(
    KEYS.map((key) => [
      key,
      {
        name: key.slice('34 '.length),
        unit: 'ms',
        baseline: 'ts_rank over the same index',
        better: 'lower' as const,
        floor: 3,
        goal: 2,
        stretch: null,
      },
    ]),
  ),
  async measure(bench) {
    const organization = await bench.seeds.organization('knowledge');
    const vocabulary = words();
    await seed(bench, organization, vocabulary);
    const sentence = [3, 9, 20, 33, 48, 60, 75, 90].map((place) => vocabulary[place]!).join(' ');
    const client = new pg.Client({ connectionString: bench.database.url });
    await client.connect();
    try {
      const rounds = await bench.rounds(async () => {
        const samples = new Map<Key, { value: number; baseline: number }>();
        for (const key of KEYS) samples.set(key, await compared(client, organization, SOUGHT[key] || sentence));
        return samples;
      });
      return Object.fromEntries(KEYS.map((key) => [key, rounds.map((round) => round.get(key)!)]));
    } finally {
      await client.end();
    }
  },
});

/** The middle of some calls of both, in turns. */
async function compared(client: pg.Client, organization: string, sought: string) {
  const { service, bare } = searches(organization, sought);
  const [own, plain]: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS; call += 1) {
    await client.query('begin');
    await client.query(`select set_config('role', 'br_app', true), set_config('app.org', $1, true)`, [organization]);
    own.push(await timed(client, service));
    await client.query('commit');
    plain.push(await timed(client, bare));
  }
  return { value: median(own), baseline: median(plain) };
}

async function timed(
  client: pg.Client,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<number> {
  const since = performance.now();
  await client.query({ name: text.slice(0, 40), text, values: [...values] });
  return performance.now() - since;
}

/** Records of sixty words, few of which are in many of them; one in four has one word more, and one in a hundred Chinese. */
async function seed({ seeds }: Bench, organization: string, vocabulary: readonly string[]): Promise<void> {
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const sentence = (length: number) =>
    Array.from({ length }, () => vocabulary[Math.floor(vocabulary.length * random() ** 3)]).join(' ');
  for (let at = 0; at < RECORDS; at += BATCH) {
    const records = Array.from({ length: BATCH }, (_, place) => {
      const nth = at + place;
      const marks = [
        nth % 4 === 0 ? 'quarterly' : '',
        nth % 5_000 === 0 ? 'zephyrine' : '',
        nth % 100 === 0 ? '竞争对手提高了价格' : '',
      ];
      const record = { key: `record-${nth}`, title: sentence(5), finding: [sentence(60), ...marks].join(' ') };
      return { ...record, terms: termsOfRecord({ ...record, applicability: '', procedure: [] }) };
    });
    await seeds.query(
      `with made as (
         insert into knowledge (organization_id, id, key, title, title_words, finding, applicability, procedure, visibility,
           department, required_connector_keys, source_versions, stamps, evidence, origin, content_digest, finding_digest,
           retained_at)
         select $1, uuidv7(), r.key, r.title, r.title, r.finding, '', '{}',
           case when r.place % 3 = 0 then 'department' else 'organization' end,
           case when r.place % 2 = 0 then 'growth' else 'support' end, '{}', '[]', '{}', '[]', 'execution', r.key, r.key, now()
         from unnest($2::text[], $3::text[], $4::text[]) with ordinality r(key, title, finding, place)
         returning id, key, visibility, department)
       insert into knowledge_passage (organization_id, knowledge_id, ordinal, terms, live, origin, visibility, department,
         required_connector_keys, stamps)
       select $1, made.id, 0, r.terms::tsvector, true, 'execution', made.visibility, made.department, '{}', '{}'
       from unnest($2::text[], $5::text[]) r(key, terms) join made on made.key = r.key`,
      [
        organization,
        records.map(({ key }) => key),
        records.map(({ title }) => title),
        records.map(({ finding }) => finding),
        records.map(({ terms }) => terms),
      ],
    );
  }
  await seeds.query('vacuum (analyze) knowledge, knowledge_passage');
}

function words(): string[] {
  const [consonants, vowels] = ['bcdfghklmnprst', 'aeiou'];
  return Array.from({ length: 20_000 }, (_, nth) => {
    let [word, left] = ['', nth + 17];
    for (let syllable = 0; syllable < 3 + (nth % 2); syllable += 1) {
      word += consonants[left % 14]! + vowels[Math.floor(left / 14) % 5]!;
      left = Math.floor(left / 70) + nth * 7 + syllable;
    }
    return word + (nth % 97);
  });
}
