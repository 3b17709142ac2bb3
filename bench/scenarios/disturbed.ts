import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Bench, cpuOf, type Measured, rate } from '../bench.ts';
import { scenario } from '../scenario.ts';
import type { Sample } from '../stats.ts';

/** Ratio of the service to itself under better circumstances. */
function compared(value: Measured, baseline: Measured): Sample {
  return {
    value: rate(value),
    baseline: rate(baseline),
    cpu: { value: cpuOf(value, 'service'), baseline: cpuOf(baseline, 'service') },
  };
}

const TABLES = ['task', 'run_request', 'run', 'organization_load', 'profile_load', 'task_dependency'];

export const withoutStatistics = scenario({
  ids: [11],
  name: 'lifecycle just after a bulk insert',
  metrics: {
    '11': {
      name: 'rate without statistics',
      unit: '/s',
      baseline: 'with fresh ones',
      better: 'higher',
      floor: 0.5,
      goal: 0.9,
      stretch: 1,
    },
  },
  async measure(bench) {
    // Nothing may make statistics meanwhile.
    await eachTable(bench, 'set (autovacuum_enabled = off)');
    try {
      const samples = await bench.rounds(async () => {
        await bench.prepare('spread', 20_000);
        await forget(bench);
        const without = await bench.lifecycles();
        await bench.seeds.query(`analyze ${TABLES.join(', ')}`);
        return compared(without, await bench.lifecycles());
      });
      return { '11': samples };
    } finally {
      await eachTable(bench, 'reset (autovacuum_enabled)');
    }
  },
});

async function eachTable(bench: Bench, change: string): Promise<void> {
  for (const table of TABLES) await bench.seeds.query(`alter table ${table} ${change}`);
}

/** As if the tables had just been made and filled. */
async function forget(bench: Bench): Promise<void> {
  await bench.seeds.query(
    `select pg_clear_relation_stats('public', t), (
       select count(pg_clear_attribute_stats('public', t, a.attname, false)) from pg_attribute a
       where a.attrelid = t::regclass and a.attnum > 0 and not a.attisdropped)
     from unnest($1::text[]) t`,
    [TABLES],
  );
}

export const besideSnapshot = scenario({
  ids: [12],
  name: 'lifecycle while another session holds a snapshot',
  metrics: {
    '12': {
      name: 'rate at the end of it',
      unit: '/s',
      baseline: 'undisturbed',
      better: 'higher',
      floor: 0.5,
      goal: 0.8,
      stretch: 0.95,
    },
  },
  async measure(bench) {
    const holdSeconds = bench.pace.quick ? 3 : 30;
    const samples = await bench.rounds(
      async () => {
        const undisturbed = await bench.lifecycles();
        const client = new pg.Client({ connectionString: bench.database.url });
        await client.connect();
        try {
          await client.query('begin isolation level repeatable read');
          await client.query('select count(*) from organization');
          await bench.lifecycles({ seconds: holdSeconds - bench.pace.seconds });
          return compared(await bench.lifecycles(), undisturbed);
        } finally {
          await client.end();
        }
      },
      Math.min(bench.pace.rounds, 2),
    );
    return { '12': samples };
  },
});

export const hotProfile = scenario({
  ids: [14],
  name: 'lifecycle of one profile',
  metrics: {
    '14': { name: 'rate', unit: '/s', baseline: '1,000 profiles', better: 'higher', floor: 0.5, goal: 0.8, stretch: 1 },
  },
  async measure(bench) {
    const samples = await bench.rounds(async () =>
      compared(await bench.lifecycles({ pool: 'hot' }), await bench.lifecycles()),
    );
    return { '14': samples };
  },
});

const LIVE_RUNS = 10_000;
const BEAT_SECONDS = 15;

export const beats = scenario({
  ids: [15],
  name: `${LIVE_RUNS} live runs, a heartbeat each every ${BEAT_SECONDS} s`,
  metrics: {
    '15': {
      name: 'CPU of service and database',
      unit: '% of a core',
      baseline: null,
      better: 'lower',
      floor: 25,
      goal: 12,
      stretch: 8,
    },
    '15b': {
      name: 'heartbeats answered of those due',
      unit: '%',
      baseline: null,
      better: 'higher',
      floor: 99,
      goal: 99,
      stretch: 100,
    },
  },
  async measure(bench) {
    await bench.seeds.work('beats', LIVE_RUNS, 'claimed');
    const runs = await bench.seeds.runs('beats', 'running');
    await bench.seeds.query('vacuum analyze run, run_request, task');
    const { leaseToken } = bench.lease;
    const requests = runs.map(({ organizationId, runId }) => ({
      method: 'POST' as const,
      path: `/internal/runs/${runId}/heartbeat`,
      body: JSON.stringify({ organizationId, leaseToken }),
    }));
    const perSecond = LIVE_RUNS / BEAT_SECONDS;
    const seconds = bench.pace.quick ? 3 : BEAT_SECONDS;
    const rounds = await bench.rounds(async () => {
      const { cpu, total } = await bench.calls(requests, { workers: 64, seconds, perSecond });
      return {
        cpu: ((cpu.service + cpu.database) / (seconds * 1_000)) * 100,
        answered: (total / (perSecond * seconds)) * 100,
      };
    });
    // They will not beat again, and what expires would be in the way of what is measured next.
    await bench.seeds.query(
      `update run set lease_expires_at = clock_timestamp() + interval '1 day', started_at = clock_timestamp()
       where status in ('starting', 'running')`,
    );
    return {
      '15': rounds.map(({ cpu }) => ({ value: cpu })),
      '15b': rounds.map(({ answered }) => ({ value: answered })),
    };
  },
});

const HOT_TABLES = ['run', 'run_request', 'task'];
/** Of a run of some minutes. */
const BEATS = 20;

export const soak = scenario({
  ids: [26],
  name: 'soak at half load',
  metrics: {
    '26a': {
      name: `updates of runs in place, ${BEATS} heartbeats a run`,
      unit: '%',
      baseline: null,
      better: 'higher',
      floor: 80,
      goal: 98,
      stretch: 100,
    },
    '26b': {
      name: 'dead ÷ live rows of the hottest table',
      unit: '',
      baseline: null,
      better: 'lower',
      floor: 2,
      goal: 1,
      stretch: null,
    },
  },
  async measure(bench) {
    const full = await bench.lifecycles({ beats: BEATS, seconds: Math.max(3, bench.pace.seconds) });
    const before = await updates(bench);
    await bench.lifecycles({ beats: BEATS, seconds: bench.pace.soakSeconds, perSecond: Math.max(1, rate(full) / 2) });
    // Counters of the database arrive a moment after the work.
    await wait(1_500);
    const after = await updates(bench);
    const inPlace = (after.hot - before.hot) / (after.all - before.all);
    return { '26a': [{ value: inPlace * 100 }], '26b': [{ value: after.dead }] };
  },
});

async function updates(bench: Bench): Promise<{ hot: number; all: number; dead: number }> {
  const [row] = await bench.seeds.query<{ hot: number; all: number; dead: number }>(
    `select sum(n_tup_hot_upd) filter (where relname = 'run')::float8 as hot, sum(n_tup_upd) filter (where relname = 'run')::float8 as all,
       max(n_dead_tup / greatest(n_live_tup, 1)::float8) as dead
     from pg_stat_user_tables where schemaname = 'public' and relname = any($1)`,
    [HOT_TABLES],
  );
  return row!;
}
