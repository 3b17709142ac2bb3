import { type Bench, cpuOf } from '../bench.ts';
import type { PreparedRequest } from '../load/job.ts';
import { scenario } from '../scenario.ts';

/** Statuses that people watch, of which an archive of what went well has none, and all of them at once. */
const WATCHED = {
  tasks: ['pending', 'running', 'blocked', 'failed'],
  'run-requests': ['queued', 'claimed', 'running', 'failed'],
  runs: ['starting', 'running', 'failed'],
} as const;
type Watched = keyof typeof WATCHED;

export const filteredLists = scenario({
  ids: [28],
  name: 'lists by status among very many ended rows, the slowest filter',
  metrics: Object.fromEntries(
    (Object.keys(WATCHED) as Watched[]).map((list) => [
      `28 ${list}`,
      {
        name: 'p50 ÷ first page',
        unit: 'ms',
        baseline: 'first page',
        better: 'lower' as const,
        floor: 3,
        goal: 1.5,
        stretch: 1.1,
      },
    ]),
  ),
  async measure(bench) {
    const organization = await bench.seeds.organization('archive');
    await bench.seeds.work('archive', bench.pace.quick ? 20_000 : 1_000_000, 'completed');
    await bench.seeds.runs('archive', 'succeeded');
    await bench.seeds.query('vacuum (analyze) task, run_request, run');
    const page = (list: Watched, statuses: readonly string[]) => {
      const query = statuses.map((status) => `status=${status}`).join('&');
      const request: PreparedRequest = { method: 'GET', path: `/organizations/${organization}/${list}?${query}` };
      // Alone, so that it is the time of the call and not that of a queue.
      return bench.reads('service', [request], { workers: 1, seconds: bench.pace.seconds / 2 });
    };
    const samples: Record<string, Awaited<ReturnType<typeof slowest>>[]> = {};
    for (const list of Object.keys(WATCHED) as Watched[])
      samples[`28 ${list}`] = await bench.rounds(() => slowest(list, page));
    return samples;
  },
});

type Page = (list: Watched, statuses: readonly string[]) => ReturnType<Bench['reads']>;

async function slowest(list: Watched, page: Page) {
  const first = await page(list, []);
  const filtered = [];
  for (const statuses of [...WATCHED[list].map((status) => [status]), WATCHED[list]])
    filtered.push(await page(list, statuses));
  const [worst] = filtered.toSorted((a, b) => b.steps.call!.p50 - a.steps.call!.p50);
  return {
    value: worst!.steps.call!.p50,
    baseline: first.steps.call!.p50,
    cpu: { value: cpuOf(worst!, 'service'), baseline: cpuOf(first, 'service') },
  };
}
