import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { scenario } from '../scenario.ts';
import { median } from '../stats.ts';

const FEW = 10_000;
const DUE = 100;
const CHUNK = 100_000;
/** Of one round: a tick is short. */
const TICKS = { quick: 1, full: 3 } as const;
const TICK_LIMIT_MS = 30_000;

interface Scheduled {
  readonly organizationId: string;
  readonly id: string;
}

interface Tick {
  readonly ms: number;
  readonly cpuMs: number;
}

export const scheduleGrowth = scenario({
  ids: [24],
  name: `schedule tick, ${DUE} due`,
  metrics: {
    '24': {
      name: 'time at many ÷ 10,000 schedules',
      unit: 'ms',
      baseline: 'at 10,000',
      better: 'lower',
      floor: 1.6,
      goal: 1.25,
      stretch: 1.1,
    },
  },
  async measure(bench) {
    const many = bench.pace.quick ? 100_000 : 1_000_000;
    const schedules = await create(bench, FEW);
    const ticks = () => bench.rounds(() => severalTicks(bench, schedules));
    // The first one is not what later ones are.
    await tick(bench, schedules.splice(0, DUE));
    const few = await ticks();
    await create(bench, many - FEW);
    const lots = await ticks();
    await cleanUp(bench);
    return {
      '24': lots.map((after, round) => ({
        value: after.ms,
        baseline: few[round]!.ms,
        cpu: { value: after.cpuMs / DUE, baseline: few[round]!.cpuMs / DUE },
      })),
    };
  },
});

/** Schedules that are not due for a while, spread evenly over the profiles that share the load. */
async function create(bench: Bench, count: number): Promise<Scheduled[]> {
  const schedules: Scheduled[] = [];
  for (let done = 0; done < count; done += CHUNK)
    schedules.push(...(await chunk(bench, Math.min(CHUNK, count - done))));
  await bench.seeds.query('vacuum (analyze) schedule');
  return schedules;
}

function chunk(bench: Bench, count: number): Promise<Scheduled[]> {
  return bench.seeds.query<Scheduled & Record<string, string>>(
    `insert into schedule (organization_id, id, agent_profile_id, key, name, origin, trigger, task_template, creation_digest, next_run_at)
     select p.organization_id, s.id, p.id, 'bench-' || s.id, 'Report of the quarter', 'agent',
       '{"kind":"interval","everyMinutes":10080,"timezone":"Europe/Berlin"}',
       jsonb_build_object('title', 'Report of the quarter', 'kind', 'task', 'ownerAgentProfileKey', profile.key, 'priority', 0,
         'allowOverlap', false, 'spec', '{"objective":"Compare this quarter with the one before it and say what changed.",
           "inputs":[],"acceptanceCriteria":[],"verification":"none",
           "budget":{"maxAgentRuns":20,"maxAttemptsPerPhase":3,"maxReplans":3,"maxActions":20}}'::jsonb),
       repeat('0', 64), clock_timestamp() + interval '1 day' + random() * interval '6 days'
     from (select n, uuidv7() as id from generate_series(1, $1::int) n) s
     join bench.profile p on p.pool = 'spread'
       and p.place = (s.n - 1) % (select count(*) from bench.profile where pool = 'spread')::int + 1
     join agent_profile profile on profile.organization_id = p.organization_id and profile.id = p.id
     returning organization_id as "organizationId", id`,
    [count],
  );
}

async function severalTicks(bench: Bench, schedules: Scheduled[]): Promise<Tick> {
  const ticks: Tick[] = [];
  const wanted = bench.pace.quick ? TICKS.quick : TICKS.full;
  for (let count = 0; count < wanted; count += 1) ticks.push(await tick(bench, schedules.splice(0, DUE)));
  return { ms: median(ticks.map(({ ms }) => ms)), cpuMs: median(ticks.map(({ cpuMs }) => cpuMs)) };
}

/** From the second at which the service looks to the last of what it then makes, by the database's clock. */
async function tick(bench: Bench, due: readonly Scheduled[]): Promise<Tick> {
  const these = [due.map(({ organizationId }) => organizationId), due.map(({ id }) => id)];
  const made = `from schedule_occurrence o join unnest($1::uuid[], $2::uuid[]) due(organization_id, id)
    on o.organization_id = due.organization_id and o.schedule_id = due.id`;
  const { cpu } = await bench.watch(async () => {
    // Between two looks, so that the next one finds all of them.
    await wait(1_300 - (Date.now() % 1_000));
    await bench.seeds.query(
      `update schedule s set next_run_at = clock_timestamp() from unnest($1::uuid[], $2::uuid[]) due(organization_id, id)
       where s.organization_id = due.organization_id and s.id = due.id`,
      these,
    );
    const deadline = performance.now() + TICK_LIMIT_MS;
    for (let count = 0; count < due.length;) {
      if (performance.now() > deadline) throw new Error(`Only ${count} of ${due.length} schedules have fired.`);
      await wait(100);
      count = (await bench.seeds.query<{ count: number }>(`select count(*)::int as count ${made}`, these))[0]!.count;
    }
  });
  const [row] = await bench.seeds.query<{ ms: number; tasks: number }>(
    `select (extract(epoch from max(o.created_at) - date_trunc('second', min(o.created_at))) * 1000)::float8 as ms,
       count(o.task_id)::int as tasks ${made}`,
    these,
  );
  if (row!.tasks !== due.length) throw new Error(`${due.length} schedules made ${row!.tasks} tasks.`);
  return { ms: row!.ms, cpuMs: cpu.service + cpu.database };
}

/** What was made stays out of the way of what is measured next. */
async function cleanUp(bench: Bench): Promise<void> {
  await bench.seeds.query('truncate schedule, schedule_occurrence');
  await bench.seeds.query(
    `update run_request q set status = 'cancelled' from bench.profile p
     where p.pool = 'spread' and q.organization_id = p.organization_id and q.agent_profile_id = p.id and q.status = 'queued'`,
  );
}
