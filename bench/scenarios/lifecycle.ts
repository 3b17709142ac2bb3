import { cpuOf, rate, rates } from '../bench.ts';
import type { LoadResult } from '../load/job.ts';
import { scenario } from '../scenario.ts';

const JOBS = 'graphile-worker, trivial jobs';
const SQL = 'the same statements through pg';
const CONCURRENCY = 24;

/** Start, running, heartbeat, ten log entries, complete of a request that is claimed already. */
export const lifecycleAt32 = scenario({
  ids: [1, 3],
  name: 'lifecycle, 32 workers',
  metrics: {
    '1': { name: 'rate', unit: '/s', baseline: JOBS, better: 'higher', floor: 0.2, goal: 0.35, stretch: 0.5 },
    '1b': { name: 'rate ÷ SQL', unit: '/s', baseline: SQL, better: 'higher', floor: 0.6, goal: 0.9, stretch: 1.1 },
    '3a': { name: 'heartbeat p99', unit: 'ms', baseline: SQL, better: 'lower', floor: 3, goal: 1.5, stretch: 1 },
    '3b': { name: 'start p99', unit: 'ms', baseline: SQL, better: 'lower', floor: 3, goal: 1.5, stretch: 1 },
    '3c': { name: 'complete p99', unit: 'ms', baseline: SQL, better: 'lower', floor: 3, goal: 1.5, stretch: 1 },
  },
  async measure(bench) {
    const rounds = await bench.rounds(async () => ({
      jobs: await bench.run({
        kind: 'trivial-jobs',
        database: bench.database.url,
        concurrency: CONCURRENCY,
        seconds: bench.pace.seconds,
      }),
      service: await bench.lifecycles(),
      sql: await bench.lifecycles({ via: 'sql' }),
    }));
    const p99 = (result: LoadResult, step: string) => result.steps[step]?.p99 ?? Number.NaN;
    const steps = (step: string) =>
      rounds.map(({ service, sql }) => ({ value: p99(service, step), baseline: p99(sql, step) }));
    return {
      '1': rounds.map(({ service, jobs }) => ({ value: rate(service), baseline: rate(jobs) })),
      '1b': rounds.map(({ service, sql }) => rates(service, sql, 'sql')),
      '3a': steps('heartbeat'),
      '3b': steps('start'),
      '3c': steps('complete'),
    };
  },
});

export const lifecycleAt128 = scenario({
  ids: [2],
  name: 'lifecycle, 128 workers',
  metrics: {
    '2a': { name: 'rate', unit: '/s', baseline: JOBS, better: 'higher', floor: 0.3, goal: 0.5, stretch: 0.75 },
    '2b': { name: 'rate ÷ SQL', unit: '/s', baseline: SQL, better: 'higher', floor: 0.6, goal: 0.9, stretch: 1.1 },
  },
  async measure(bench) {
    const rounds = await bench.rounds(async () => ({
      jobs: await bench.run({
        kind: 'trivial-jobs',
        database: bench.database.url,
        concurrency: CONCURRENCY,
        seconds: bench.pace.seconds,
      }),
      service: await bench.lifecycles({ workers: 128 }),
      sql: await bench.lifecycles({ via: 'sql', workers: 128 }),
    }));
    return {
      '2a': rounds.map(({ service, jobs }) => ({ value: rate(service), baseline: rate(jobs) })),
      '2b': rounds.map(({ service, sql }) => rates(service, sql, 'sql')),
    };
  },
});

export const lifecycleCpu = scenario({
  ids: [4],
  name: 'CPU a lifecycle, server and PostgreSQL',
  metrics: {
    '4': {
      name: 'at 32 workers',
      unit: 'ms',
      baseline: 'bare Fastify, one batch a call',
      better: 'lower',
      floor: 1,
      goal: 0.7,
      stretch: 0.5,
    },
  },
  async measure(bench) {
    const of = async (via: 'service' | 'bare') => cpuOf(await bench.lifecycles({ via }), via);
    return { '4': await bench.rounds(async () => ({ value: await of('service'), baseline: await of('bare') })) };
  },
});
