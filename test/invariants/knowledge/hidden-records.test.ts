import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { grantRows, integrationRow } from '../../support/factories/integrations/rows.ts';
import type { Client } from '../../support/client.ts';
import { publish, published, type Publisher, publisher, recordBody } from '../../support/factories/knowledge.ts';
import type { Columns } from '../../support/factories/rows.ts';
import { useTestApp, useWorkplace } from '../../support/use-test-app.ts';

/**
 * Whatever happens to records that a caller may not read, it gets the same bytes from every way to a record: lists,
 * searches, cursors, single reads, manifests and refusals.
 */
const app = useTestApp();
const place = useWorkplace(app);

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The environment asks for more. */
const ROUNDS = Number(process.env.KNOWLEDGE_WORLDS ?? 3);
const WORDS = ['harbour', 'harbours', 'fees', 'winter', 'price', 'prices', 'pricing', 'market', '竞争对手', 'été'];

let state = SEED;
/** A number from 0 to 1 (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const upTo = (most: number) => Math.floor(random() * most);
const oneOf = <T>(values: readonly T[]): T => values[upTo(values.length)]!;
const words = (most: number) => Array.from({ length: 1 + upTo(most) }, () => oneOf(WORDS)).join(' ');
const text = () => `${words(6)} ${Math.floor(random() * 1e9)}`;

let growth: Publisher;
let support: Publisher;
beforeAll(async () => {
  // What the readers of growth may use and those of support may not.
  const vault = await integrationRow(app, place.organizationId, { row: { key: 'vault' } });
  await grantRows(app, place.organizationId, vault, { growth: 'full' });
  growth = await publisher(place, 'growth');
  support = await publisher(place, 'support');
});

/** A record that support may not read. */
const hidden = (): Columns => ({
  title: words(3),
  finding: text(),
  ...(random() < 0.5 ? { visibility: 'department' } : { visibility: 'restricted', requiredConnectorKeys: ['vault'] }),
});

/** An answer without what is of each request. */
function bytesOf({ status, body }: Awaited<ReturnType<Client['get']>>): string {
  const { meta: _meta, ...rest } = body;
  return JSON.stringify([status, rest]);
}

/** Everything that support gets, by what it asked. */
async function seen(known: readonly string[], queries: readonly string[], taken: string): Promise<Map<string, string>> {
  const { agent } = support;
  const all = new Map<string, string>();
  const ask = async (path: string) => {
    const answer = await agent.get(path);
    all.set(path, bytesOf(answer));
    return answer;
  };
  for (const query of [
    '',
    '?limit=2',
    '?freshness=superseded&freshness=current&limit=3',
    '?department=growth',
    '?origin=execution',
  ]) {
    // The whole way along the pages.
    let next: string | null = query;
    while (next !== null) {
      const { body }: { body: { data?: { nextCursor: string | null } } } = await ask(place.path(`/knowledge${next}`));
      const cursor: string | null = body.data?.nextCursor ?? null;
      next = cursor === null ? null : `${query}${query === '' ? '?' : '&'}cursor=${cursor}`;
    }
  }
  for (const query of queries) {
    const search = place.path(`/knowledge?limit=2&search=${encodeURIComponent(query)}`);
    const { body } = await ask(search);
    for (const cursor of [body.data?.nextCursor, ...known.slice(0, 6)])
      if (cursor) await ask(`${search}&cursor=${cursor}`);
  }
  for (const id of known) {
    await ask(place.path(`/knowledge/${id}`));
    await ask(place.path(`/knowledge?limit=2&cursor=${id}`));
  }
  const manifest = await agent.get(place.agentPath('/execution'));
  all.set('manifest', JSON.stringify(manifest.body.data.context));
  const refused = await publish(place, support, { key: taken, finding: 'Something else.', title: 'Else' });
  expect(refused.status).toBe(409);
  all.set('refusal', bytesOf(refused));
  return all;
}

it(
  'hidden records that come, change and go change no byte',
  async () => {
    process.stderr.write(`seed ${SEED}\n`);
    await app.db.query(
      `update task set title = 'Harbour prices', spec = jsonb_set(spec, '{objective}', '"winter"') where id = $1`,
      [support.taskId],
    );
    // One that stays, so that its key stays taken.
    const taken = (await published(place, growth, { ...hidden(), finding: text() })).metadata.key as string;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let n = 0; n < 5; n += 1) {
        const by = await publisher(place, oneOf(['operator', 'support']));
        await published(place, by, { title: words(3), finding: text() });
      }
      growth = await publisher(place, 'growth');
      const before = await published(place, growth, hidden());
      const known = [before.id as string, ...(await visible()), randomUUID()];
      const queries = Array.from({ length: 3 }, () => words(3));
      const first = await seen(known, queries, taken);

      // What support may not read: more of it, newer ones of it, and some of it taken back.
      const more: Columns[] = [before];
      for (let n = 0; n < 6; n += 1) {
        const one = oneOf(more) as {
          id: string;
          metadata: { key: string; visibility: string; requiredConnectorKeys: string[] };
        };
        const move = random();
        if (move < 0.5) more.push(await published(place, growth, hidden()));
        else if (move < 0.75) {
          const { key, visibility, requiredConnectorKeys } = one.metadata;
          const body = recordBody(growth, { ...hidden(), key, visibility, requiredConnectorKeys });
          const answer = await growth.agent.post(place.agentPath('/knowledge'), body);
          if (answer.status === 201) more.push(answer.body.data);
        } else await place.owner.delete(place.path(`/knowledge/${one.id}?reason=${encodeURIComponent(text())}`));
      }
      expect(await seen(known, queries, taken)).toEqual(first);
    }
  },
  60_000 + ROUNDS * 30_000,
);

async function visible(): Promise<string[]> {
  const { body } = await support.agent.get(place.path('/knowledge'));
  return (body.data.items as { id: string }[]).map(({ id }) => id);
}
