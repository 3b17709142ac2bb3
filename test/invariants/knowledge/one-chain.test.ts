import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Workplace } from '../../support/factories/engine-rows.ts';
import { publisher, type Publisher, recordBody } from '../../support/factories/knowledge.ts';
import type { Columns } from '../../support/factories/rows.ts';
import { TestApp } from '../../support/test-app.ts';

/** Two processes: what eight executions publish under one key at once is one chain. */
let app: TestApp;
let other: TestApp;
let place: Workplace;

/** The environment asks for more: 100 rounds take a minute. */
const ROUNDS = Number(process.env.KNOWLEDGE_RACES ?? 8);
const PUBLISHERS = 8;
/** Fewer records than a run may publish. */
const ROUNDS_OF_A_RUN = 40;

beforeAll(async () => {
  app = await TestApp.start();
  other = await TestApp.start({ databaseUrl: app.databaseUrl });
  place = await Workplace.open(app);
});
afterAll(async () => {
  await other.close();
  await app.close();
});

interface Link {
  readonly id: string;
  readonly supersedes: string | null;
  readonly supersededBy: string | null;
}

async function chainOf(key: string): Promise<Link[]> {
  const { rows } = await app.db.query<Link>(
    `select id, supersedes, superseded_by as "supersededBy" from knowledge where organization_id = $1 and key = $2`,
    [place.organizationId, key],
  );
  return rows;
}

/** From the first record to the head, along what supersedes what. */
function walked(links: readonly Link[]): string[] {
  const byPredecessor = new Map(links.map((link) => [link.supersedes, link]));
  const ids: string[] = [];
  for (let at = byPredecessor.get(null); at; at = byPredecessor.get(at.id)) ids.push(at.id);
  return ids;
}

it('eight publications of one key at once are one chain, and what is sent again climbs over nothing', async () => {
  let publishers: Publisher[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % ROUNDS_OF_A_RUN === 0)
      publishers = await Promise.all(Array.from({ length: PUBLISHERS }, () => publisher(place, 'operator')));
    const key = `race-${randomUUID()}`;
    const bodies = publishers.map((by) => recordBody(by, { key }));
    const send = (body: Columns, nth: number) =>
      (nth % 2 === 0 ? app : other).client(publishers[nth]!.agent.token).post(place.agentPath('/knowledge'), body);
    const answers = await Promise.all(bodies.map(send));
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 201));
    const links = await chainOf(key);
    const chain = walked(links);
    expect(chain.toSorted()).toEqual(links.map(({ id }) => id).toSorted());
    expect(chain).toHaveLength(PUBLISHERS);
    for (const { id, supersededBy } of links) expect(supersededBy).toBe(chain[chain.indexOf(id) + 1] ?? null);
    // Only the head is found.
    const { rows } = await app.db.query(
      `select knowledge_id as id from knowledge_passage where organization_id = $1 and knowledge_id = any($2) and live`,
      [place.organizationId, chain],
    );
    expect(rows).toEqual([{ id: chain.at(-1) }]);
    const again = await Promise.all(bodies.map(send));
    expect(again.map(({ status, body }) => [status, body.data.id])).toEqual(
      answers.map(({ body }) => [200, body.data.id]),
    );
    expect(walked(await chainOf(key))).toEqual(chain);
  }
}, 300_000);

it('a publication and a revocation of its head at once leave one record under the key, or none', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const by = await publisher(place, 'operator');
    const key = `gone-${randomUUID()}`;
    const first = await by.agent.post(place.agentPath('/knowledge'), recordBody(by, { key }));
    const { id } = first.body.data;
    const [published, revoked] = await Promise.all([
      other.client(by.agent.token).post(place.agentPath('/knowledge'), recordBody(by, { key })),
      place.owner.delete(place.path(`/knowledge/${id}?reason=Wrong`)),
    ]);
    expect([published.status, revoked.status]).toEqual([201, 200]);
    const links = await chainOf(key);
    const { supersedes } = links.find((link) => link.id === published.body.data.id)!;
    // It came first and superseded the record, or found the key free.
    expect([id, null]).toContain(supersedes);
    expect(links.find((link) => link.id === id)!.supersededBy).toBe(
      supersedes === null ? null : published.body.data.id,
    );
  }
}, 300_000);

it('two that expect the same record: one supersedes it, the other is told', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [a, b] = [await publisher(place, 'operator'), await publisher(place, 'operator')];
    const key = `expected-${randomUUID()}`;
    const first = await a.agent.post(place.agentPath('/knowledge'), recordBody(a, { key }));
    const expectedSupersedes = first.body.data.id as string;
    const answers = await Promise.all([
      a.agent.post(place.agentPath('/knowledge'), recordBody(a, { key, expectedSupersedes })),
      other.client(b.agent.token).post(place.agentPath('/knowledge'), recordBody(b, { key, expectedSupersedes })),
    ]);
    expect(answers.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused!.body.error.issues[0].code).toBe('superseded_meanwhile');
  }
}, 300_000);
