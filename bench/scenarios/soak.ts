import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, rate } from '../bench.ts';
import { scenario } from '../scenario.ts';

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
