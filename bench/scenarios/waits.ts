import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { PreparedRequest } from '../load/job.ts';
import { scenario } from '../scenario.ts';
import { LEASE_TOKEN } from '../seeds.ts';
import { SERVICE_TOKEN, startService } from '../service.ts';

const WAITING = 10_000;
const WAIT_SECONDS = 20;
/** All have come by the half of it, and each comes again in the other half. */
const SECONDS = 2 * WAIT_SECONDS;
const CLAIMS = 'as many waiting claims';

export const waits = scenario({
  ids: [33],
  name: `${WAITING} waiting heartbeats, each for ${WAIT_SECONDS} s`,
  metrics: {
    '33a': {
      name: 'CPU of service and database',
      unit: '% of a core',
      baseline: CLAIMS,
      better: 'lower',
      floor: 1,
      goal: 0.7,
      stretch: 0.5,
    },
    '33b': { name: 'heap of each', unit: 'KB', baseline: CLAIMS, better: 'lower', floor: 1.1, goal: 1, stretch: 0.9 },
  },
  async measure(bench) {
    await bench.seeds.work('waits', WAITING, 'claimed');
    const runs = (await bench.seeds.runs('waits', 'running')).slice(0, WAITING);
    const heartbeats = runs.map(({ organizationId, runId }): PreparedRequest => ({
      method: 'POST',
      path: `/internal/runs/${runId}/heartbeat`,
      body: JSON.stringify({ organizationId, leaseToken: LEASE_TOKEN, waitSeconds: WAIT_SECONDS }),
    }));
    const organizationIds = [await bench.seeds.organization('wakeups')];
    const claims = heartbeats.map((_, place): PreparedRequest => {
      const body = { workerId: `bench-${place}`, bootId: randomUUID(), organizationIds, waitSeconds: WAIT_SECONDS };
      return { method: 'POST', path: '/internal/run-requests/claim', body: JSON.stringify(body) };
    });
    const of = async (requests: readonly PreparedRequest[]) => {
      // A process of its own for each: what one side leaves in its heap is none of the other's.
      const service = await startService(bench.database, { ROLE: 'api' }, { probed: true });
      try {
        const before = await service.memory();
        const job = { kind: 'waits', target: service.baseUrl, token: SERVICE_TOKEN, requests } as const;
        const measured = bench.run(
          { ...job, waitSeconds: WAIT_SECONDS, seconds: SECONDS },
          { service, bare: bench.bare },
        );
        const [{ cpu }, after] = await Promise.all([
          measured,
          wait(1.5 * WAIT_SECONDS * 1_000).then(() => service.memory()),
        ]);
        return {
          cpu: ((cpu.service + cpu.database) / (SECONDS * 1_000)) * 100,
          heap: (after.heapUsed - before.heapUsed) / requests.length / 1_024,
        };
      } finally {
        await service.stop();
      }
    };
    const rounds = await bench.rounds(async () => {
      const beside = await of(heartbeats);
      // Until they beat again nothing expires, which would be in the way of what is measured next.
      await bench.seeds.query(
        `update run set lease_expires_at = clock_timestamp() + interval '1 day', started_at = clock_timestamp()
         where status in ('starting', 'running')`,
      );
      return { heartbeats: beside, claims: await of(claims) };
    });
    return {
      '33a': rounds.map((round) => ({ value: round.heartbeats.cpu, baseline: round.claims.cpu })),
      '33b': rounds.map((round) => ({ value: round.heartbeats.heap, baseline: round.claims.heap })),
    };
  },
});
