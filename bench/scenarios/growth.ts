import { randomUUID } from 'node:crypto';
import { type Bench, cpuOf, type Measured, rate } from '../bench.ts';
import type { PreparedRequest } from '../load/job.ts';
import { scenario } from '../scenario.ts';
import { SERVICE_TOKEN } from '../service.ts';

const FEW = 10_000;
const CLAIM = '/internal/run-requests/claim';
const CLAIM_WORKERS = 16;
const PAGE = 50;

function claimOf(organizationIds: readonly string[]): PreparedRequest {
  const body = JSON.stringify({ workerId: 'bench', bootId: randomUUID(), organizationIds });
  return { method: 'POST', path: CLAIM, body };
}

async function call(bench: Bench, token: string, { method, path, body }: PreparedRequest): Promise<Answer> {
  const answer = await fetch(bench.service.baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

interface Answer {
  readonly data: readonly { readonly organizationId: string }[];
  readonly pagination?: { readonly nextCursor: string | null };
}

/** Also what scenario 13 finds: an organization that has flooded the queue. */
export const claimGrowth = scenario({
  ids: [10, 13],
  name: 'claims with a long queue',
  metrics: {
    '10': {
      name: 'rate at many ÷ 10,000 queued',
      unit: '/s',
      baseline: 'at 10,000',
      better: 'higher',
      floor: 0.7,
      goal: 0.9,
      stretch: 0.95,
    },
    '13': {
      name: 'most turns until one request beside very many is served, 5 tries',
      unit: 'claims',
      baseline: null,
      better: 'lower',
      floor: 3,
      goal: 1,
      stretch: 1,
    },
  },
  async measure(bench) {
    const many = bench.pace.quick ? 100_000 : 1_000_000;
    const [flood, trickle] = [await bench.seeds.organization('flood'), await bench.seeds.organization('trickle')];
    // Filled up before each, so that a queue is never empty at the end of one.
    const claims = async (queued: number): Promise<Measured> => {
      await fillUp(bench, flood, queued);
      return bench.calls([claimOf([flood])], { workers: CLAIM_WORKERS });
    };
    const few = await bench.rounds(() => claims(FEW));
    const lots = await bench.rounds(() => claims(many));
    const samples = lots.map((after, round) => ({
      value: rate(after),
      baseline: rate(few[round]!),
      cpu: { value: cpuOf(after, 'service'), baseline: cpuOf(few[round]!, 'service') },
    }));
    // A promise is as good as its worst case.
    const turns = await bench.rounds(() => turnsUntilServed(bench, flood, trickle), 5);
    return { '10': samples, '13': [{ value: Math.max(...turns) }] };
  },
});

export async function fillUp(bench: Bench, flood: string, queued: number): Promise<void> {
  const [row] = await bench.seeds.query<{ count: number }>(
    `select count(*)::int as count from run_request where organization_id = $1 and status = 'queued'`,
    [flood],
  );
  await bench.seeds.work('flood', queued - row!.count, 'queued');
  await bench.seeds.query('vacuum (analyze) run_request, task');
}

/** Both have just been served when the one request comes. */
async function turnsUntilServed(bench: Bench, flood: string, trickle: string): Promise<number> {
  const claim = async () => (await call(bench, SERVICE_TOKEN, claimOf([flood, trickle]))).data[0]?.organizationId;
  for (let index = 0; index < 3; index += 1) await claim();
  await bench.seeds.work('trickle', 1, 'queued');
  for (let turn = 1; turn <= 1_000; turn += 1) if ((await claim()) === trickle) return turn;
  return Number.POSITIVE_INFINITY;
}

/** Lists whose history is long enough. */
export const deepPages = (['tasks', 'chats', 'messages'] as const).map((name) =>
  scenario({
    ids: [9],
    name: `${name}, a page far down`,
    metrics: {
      [`9 ${name}`]: {
        name: 'p50 ÷ first page',
        unit: 'ms',
        baseline: 'first page',
        better: 'lower',
        floor: 2,
        goal: 1.2,
        stretch: 1,
      },
    },
    async measure(bench) {
      const path = bench.lists[name].service;
      const cursor = encodeURIComponent(await cursorAt(bench, path, bench.pace.quick ? 2_500 : 50_000));
      // One connection makes few calls in less, and what the database does besides would count for much.
      const alone = { workers: 1, seconds: Math.max(1, bench.pace.seconds) };
      const page = (query: string) =>
        bench.reads('service', [{ method: 'GET', path: `${path}?limit=${PAGE}${query}` }], alone);
      const samples = await bench.rounds(async () => {
        const deep = await page(`&cursor=${cursor}`);
        const first = await page('');
        return {
          value: deep.steps.call!.p50,
          baseline: first.steps.call!.p50,
          cpu: { value: cpuOf(deep, 'service'), baseline: cpuOf(first, 'service') },
        };
      });
      return { [`9 ${name}`]: samples };
    },
  }),
);

/** Walks down a list. */
async function cursorAt(bench: Bench, path: string, depth: number): Promise<string> {
  let cursor = '';
  for (let row = 0; row < depth; row += 200) {
    const query = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const page = await call(bench, bench.seeds.ownerToken, { method: 'GET', path: `${path}?limit=200${query}` });
    cursor = page.pagination?.nextCursor ?? '';
    if (!cursor) throw new Error(`The list ends before row ${depth}.`);
  }
  return cursor;
}
