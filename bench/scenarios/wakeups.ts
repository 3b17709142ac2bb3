import { scenario } from '../scenario.ts';
import { SERVICE_TOKEN } from '../service.ts';

const JOBS = 'graphile-worker';

export const wakeups = scenario({
  ids: [5],
  name: 'request committed to waiting claim answered',
  metrics: {
    '5a': { name: 'p50', unit: 'ms', baseline: JOBS, better: 'lower', floor: 2, goal: 1.25, stretch: 1 },
    '5b': { name: 'p99', unit: 'ms', baseline: JOBS, better: 'lower', floor: 3, goal: 1.5, stretch: 1 },
  },
  async measure(bench) {
    const organizationId = await bench.seeds.organization('wakeups');
    const of = (via: 'service' | 'graphile') =>
      bench.run({
        kind: 'wakeups',
        via,
        target: bench.service.baseUrl,
        database: bench.database.url,
        token: SERVICE_TOKEN,
        ownerToken: bench.seeds.ownerToken,
        organizationId,
        profileKey: 'bench-1',
        count: bench.pace.quick ? 40 : 200,
      });
    const rounds = await bench.rounds(async () => {
      const service = await of('service');
      // Claims that are not started lapse, and would be handed out again in a later round as if they were slow.
      await bench.seeds.query(`update run_request set status = 'cancelled' where organization_id = $1`, [
        organizationId,
      ]);
      await bench.seeds.query(`update task set status = 'cancelled' where organization_id = $1`, [organizationId]);
      return { service, jobs: await of('graphile') };
    });
    const samples = (quantile: 'p50' | 'p99') =>
      rounds.map(({ service, jobs }) => ({
        value: service.steps.wakeup![quantile],
        baseline: jobs.steps.wakeup![quantile],
      }));
    return { '5a': samples('p50'), '5b': samples('p99') };
  },
});
