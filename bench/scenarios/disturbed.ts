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

const TABLES = ['task', 'run_request', 'run', 'organization_capacity', 'profile_capacity', 'task_dependency'];

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
