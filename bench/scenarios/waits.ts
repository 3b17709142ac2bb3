import { randomUUID } from 'node:crypto';
import type { PreparedRequest } from '../load/job.ts';
import { scenario } from '../scenario.ts';
import { LEASE_TOKEN } from '../seeds.ts';
import { SERVICE_TOKEN } from '../service.ts';

const WAITING = 10_000;
const WAIT_SECONDS = 20;
/** Each comes twice. */
const SECONDS = 2 * WAIT_SECONDS;
const CLAIMS = 'as many waiting claims';

export const waits = scenario({
  ids: [33],
  name: `${WAITING} waiting heartbeats, each for ${WAIT_SECONDS} s`,
  metrics: {
    '33': {
      name: 'CPU of service and database',
      unit: '% of a core',
      baseline: CLAIMS,
      better: 'lower',
      floor: 1,
      goal: 0.7,
      stretch: 0.5,
    },
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
    const load = { kind: 'waits', target: bench.service.baseUrl, token: SERVICE_TOKEN } as const;
    const of = async (requests: readonly PreparedRequest[]) => {
      const { cpu } = await bench.run({ ...load, requests, waitSeconds: WAIT_SECONDS, seconds: SECONDS });
      return ((cpu.service + cpu.database) / (SECONDS * 1_000)) * 100;
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
    return { '33': rounds.map((round) => ({ value: round.heartbeats, baseline: round.claims })) };
  },
});
