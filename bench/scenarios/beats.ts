import { scenario } from '../scenario.ts';
import { LEASE_TOKEN } from '../seeds.ts';

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
    const requests = runs.map(({ organizationId, runId }) => ({
      method: 'POST' as const,
      path: `/internal/runs/${runId}/heartbeat`,
      body: JSON.stringify({ organizationId, leaseToken: LEASE_TOKEN }),
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
