import { rates } from '../bench.ts';
import type { PreparedRequest } from '../load/job.ts';
import { scenario } from '../scenario.ts';
import { LIST_NAMES } from '../baselines/bare-reads.ts';

const BARE = 'bare Fastify and pg';
const WARM_UP_SECONDS = { service: 8, bare: 4 } as const;

export const lists = LIST_NAMES.map((name) =>
  scenario({
    ids: [6, 7],
    name: `list of 50 ${name}, 32 connections`,
    metrics: {
      [`6 ${name}`]: {
        name: 'rate',
        unit: '/s',
        baseline: BARE,
        better: 'higher',
        floor: 0.9,
        goal: 1.3,
        stretch: 1.6,
      },
      [`7 ${name}`]: { name: 'p99', unit: 'ms', baseline: BARE, better: 'lower', floor: 1.2, goal: 0.8, stretch: 0.6 },
    },
    async measure(bench) {
      const of = (side: 'service' | 'bare') => bench.reads(side, [{ method: 'GET', path: bench.lists[name][side] }]);
      const rounds = await bench.rounds(async () => ({ service: await of('service'), bare: await of('bare') }));
      return {
        [`6 ${name}`]: rounds.map(({ service, bare }) => rates(service, bare, 'bare')),
        [`7 ${name}`]: rounds.map(({ service, bare }) => ({
          value: service.steps.call!.p99,
          baseline: bare.steps.call!.p99,
        })),
      };
    },
  }),
);

export const singleRead = scenario({
  ids: [8],
  name: 'single read of a task, 32 connections',
  metrics: {
    '8': { name: 'rate', unit: '/s', baseline: BARE, better: 'higher', floor: 0.75, goal: 0.9, stretch: 0.95 },
  },
  async measure(bench) {
    const organization = await bench.seeds.organization('lists');
    const tasks = await bench.seeds.query<{ id: string }>(
      `select id from task where organization_id = $1 order by md5(id::text) limit 500`,
      [organization],
    );
    const paths = {
      service: (id: string) => `/organizations/${organization}/tasks/${id}`,
      bare: (id: string) => `/task?organization=${organization}&id=${id}`,
    };
    const of = (side: 'service' | 'bare', seconds = bench.pace.seconds) =>
      bench.reads(
        side,
        tasks.map(({ id }): PreparedRequest => ({ method: 'GET', path: paths[side](id) })),
        { seconds },
      );
    // Of the code of a single read nothing is compiled yet.
    for (const side of ['service', 'bare'] as const) await of(side, bench.warmUpSeconds(WARM_UP_SECONDS[side]));
    const samples = await bench.rounds(async () => rates(await of('service'), await of('bare'), 'bare'));
    return { '8': samples };
  },
});
