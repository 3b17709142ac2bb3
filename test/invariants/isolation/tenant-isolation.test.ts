import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, organizationOf } from '../../support/client.ts';
import { taskBody } from '../../support/factories/tasks.ts';
import { append, claimTurns, streamingTurn } from '../../support/factories/turns.ts';
import { claim, onRun, startedRun } from '../../support/factories/work.ts';
import { useTestApp, usePerson } from '../../support/use-test-app.ts';

/** What the promise names is 250 ms of p99, on a machine of its own; this one runs other tests too. */
const LOOSE_P99_MS = 1_000;
const HISTORY = 20_000;
const SEARCHES = 40;
const CREATIONS = 300;
const EVERY_MS = 20;

const app = useTestApp({ env: { DATABASE_POOL_SIZE: '20' } });
const crowd = usePerson(app);
let crowdedId: string;
let calls: Readonly<Record<string, () => Promise<Answer>>>;

beforeAll(async () => {
  crowdedId = await organizationOf(crowd);
  await app.db.query(
    `insert into task (organization_id, id, identifier_scope, identifier_number, root_task_id, owner_agent_profile_id, kind, status, phase, title,
       priority, max_agent_runs, max_attempts_per_phase, max_replans, max_actions, spec, dedupe_key, result, started_at, completed_at)
     select $1, id, 'H', n, id, (select p.id from agent_profile p where p.organization_id = $1 and p.key = 'growth' and p.deleted_at is null),
       'task', 'completed', 'execute', 'Compare the quarter with the one before ' || n, 0, 20, 3, 3, 20,
       '{"objective":"Do it","inputs":[],"acceptanceCriteria":[]}', id::text, '{"kind":"completed","summary":"Done.","artifacts":[]}', clock_timestamp(), clock_timestamp()
     from (select n, gen_random_uuid() as id from generate_series(1, $2::int) n) as wanted`,
    [crowdedId, HISTORY],
  );
  const neighbourId = await organizationOf(await app.person());
  const run = await startedRun(app, neighbourId);
  const turn = await streamingTurn(app, neighbourId, 'Hello');
  let offset = 'Hello'.length;
  calls = {
    heartbeat: () => onRun(app, run, 'heartbeat'),
    claim: () => claim(app, neighbourId),
    'claim of turns': () => claimTurns(app, neighbourId),
    append: () => append(app, turn, (offset += 1) - 1, '.'),
    ready: () => app.anonymous.get('/health/ready'),
  };
});

/** What a neighbour's calls were answered while the load was made, and how long each took. */
async function neighbour(load: Promise<unknown>) {
  const over = new AbortController();
  const statuses = new Map<string, Set<number>>();
  const latencies: number[] = [];
  const working = Object.entries(calls).map(async ([name, call]) => {
    const seen = new Set<number>();
    statuses.set(name, seen);
    while (!over.signal.aborted) {
      const beganAt = performance.now();
      seen.add((await call()).status);
      latencies.push(performance.now() - beganAt);
      await wait(EVERY_MS);
    }
  });
  await load;
  over.abort();
  await Promise.all(working);
  latencies.sort((a, b) => a - b);
  return {
    statuses: Object.fromEntries([...statuses].map(([name, seen]) => [name, [...seen]])),
    p99: latencies[Math.ceil(latencies.length * 0.99) - 1]!,
  };
}

const allWell = () => Object.fromEntries(Object.keys(calls).map((name) => [name, [200]]));

/** Waited for, or refused with a time to come back. */
function expectServedOrRefused(answers: readonly Answer[]): void {
  for (const { status, headers, body } of answers)
    if (status === 503)
      expect([body.error.code, Number(headers['retry-after'])]).toEqual(['service_unavailable', expect.any(Number)]);
    else expect([200, 201]).toContain(status);
}

describe("a neighbour's leases, claims, turns and the probes of readiness", () => {
  it('do not wait behind the searches of a tenant', async () => {
    const answers: Answer[] = [];
    const search = async (until: number) => {
      while (performance.now() < until)
        answers.push(await crowd.get(`/organizations/${crowdedId}/tasks?search=zz${randomUUID()}`));
    };
    const until = performance.now() + 2_000;
    const { statuses, p99 } = await neighbour(Promise.all(Array.from({ length: SEARCHES }, () => search(until))));
    expect(statuses).toEqual(allWell());
    expect(p99).toBeLessThan(LOOSE_P99_MS);
    expectServedOrRefused(answers);
  }, 30_000);

  it('do not wait behind the creations of a tenant', async () => {
    const create = () => crowd.post(`/organizations/${crowdedId}/tasks`, taskBody());
    let answers: Answer[] = [];
    const load = Promise.all(Array.from({ length: CREATIONS }, create)).then((all) => (answers = all));
    const { statuses, p99 } = await neighbour(load);
    expect(statuses).toEqual(allWell());
    expect(p99).toBeLessThan(LOOSE_P99_MS);
    expectServedOrRefused(answers);
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  }, 30_000);
});
