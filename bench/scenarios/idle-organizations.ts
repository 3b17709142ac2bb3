import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, cpuOf, type Measured } from '../bench.ts';
import { scenario } from '../scenario.ts';
import { fillUp } from './growth.ts';

const ORGANIZATIONS = 10_000;
/** What claims take meanwhile. */
const QUEUED = 10_000;
/** Of the profiles of every pool. */
const KEY = 'bench-1';
const LEAVE_LIMIT_MS = 30_000;

const metric = (name: string) =>
  ({ name, unit: 'ms', baseline: 'without them', better: 'lower', floor: 1.5, goal: 1.1, stretch: 1 }) as const;

export const idleOrganizations = scenario({
  ids: [27],
  name: `claims among ${ORGANIZATIONS} organizations that may not start`,
  metrics: { '27': metric('p50 ÷ without them'), '27b': metric('narrow by profile, p50 ÷ without them') },
  async measure(bench) {
    const flood = await bench.seeds.organization('flood');
    const both = async () => ({ any: await claims(bench, flood), narrow: await claims(bench, flood, [KEY]) });
    // The first ones plan and compile.
    await both();
    const without = await bench.rounds(both);
    await bench.seeds.pooled('idle', ORGANIZATIONS, 1);
    await bench.seeds.query(
      `update organization set work_dispatch_stopped_at = clock_timestamp()
       where id in (select organization_id from bench.profile where pool = 'idle')`,
    );
    await bench.seeds.work('idle', ORGANIZATIONS, 'queued');
    await bench.seeds.query('vacuum (analyze)');
    await untilLeft(bench);
    const among = await bench.rounds(both);
    await bench.seeds.query(
      `update run_request set status = 'cancelled'
       where status = 'queued' and organization_id in (select organization_id from bench.profile where pool = 'idle')`,
    );
    const samples = (of: 'any' | 'narrow') =>
      among.map((after, round) => ({
        value: after[of].steps.call!.p50,
        baseline: without[round]![of].steps.call!.p50,
        cpu: { value: cpuOf(after[of], 'service'), baseline: cpuOf(without[round]![of], 'service') },
      }));
    return { '27': samples('any'), '27b': samples('narrow') };
  },
});

/** One caller, so that no claim waits for another. */
async function claims(bench: Bench, flood: string, profileKeys?: readonly string[]): Promise<Measured> {
  await fillUp(bench, flood, QUEUED);
  const body = JSON.stringify({ workerId: 'bench', bootId: randomUUID(), ...(profileKeys ? { profileKeys } : {}) });
  return bench.calls([{ method: 'POST', path: '/internal/run-requests/claim', body }], { workers: 1 });
}

/** They were put into the lines as if each might start. */
async function untilLeft(bench: Bench): Promise<void> {
  for (const deadline = Date.now() + LEAVE_LIMIT_MS; Date.now() < deadline; await wait(200)) {
    const [row] = await bench.seeds.query<{ count: number }>(
      `select count(*)::int as count from bench.profile p
       where p.pool = 'idle' and (
         exists (select from organization_dispatch d where d.organization_id = p.organization_id and d.next_ready_at is not null)
         or exists (select from profile_dispatch d where d.organization_id = p.organization_id and d.next_ready_at is not null))`,
    );
    if (row!.count === 0) return;
  }
  throw new Error('Organizations that may not start anything stay in the lines of claims.');
}
