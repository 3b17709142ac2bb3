import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { check } from '../checker.ts';
import type { Findings } from '../findings.ts';
import { readHistory } from '../history.ts';
import { readRows, type Rows } from '../rows.ts';
import type { Traffic } from './careful-client.ts';
import { openCompany, scheduleSlots } from './company.ts';
import { Conversations } from './conversations.ts';
import { Deployment } from './deployment.ts';
import { Workload } from './workload.ts';

export interface RollingOptions {
  readonly databaseUrl: string;
  /** Gets logs and histories. */
  readonly folder: string;
  /** The least of each; work goes on until both are reached. */
  readonly lifecycles: number;
  readonly restartsOfEach: number;
  readonly organizations: number;
  readonly workers: number;
  /** Schedules that fire once each, spread over this time. */
  readonly slots: number;
  readonly slotsWithinMs: number;
}

export interface RollingReport extends Findings {
  readonly lifecycles: number;
  readonly restarts: number;
  readonly seconds: number;
  readonly traffic: Traffic;
  readonly answers: number;
  readonly reconnects: number;
  readonly slots: number;
}

const DRAIN_LIMIT_MS = 120_000;

/**
 * Restarts three replicas one after the other while owners, runtimes, readers of streams and schedules use all of them,
 * and compares what the clients were told with what the database holds.
 */
export async function rollingRestart(options: RollingOptions): Promise<RollingReport> {
  const startedAt = performance.now();
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 2 });
  // The database may stop before a connection that has been given up has closed.
  pool.on('error', () => {});
  const deployment = await Deployment.start(options.databaseUrl, options.folder);
  const conversations = new Conversations(deployment);
  try {
    const slotTitles = await useAll(options, deployment, conversations, pool);
    const rows = await readRows(async <T extends object>(text: string) => (await pool.query<T>(text)).rows);
    const { lost, doubled, stuck, wrong } = check(readHistory(deployment.historyFolder), rows);
    const heard = conversations.findings();
    return {
      lost: [...lost, ...heard.lost, ...slotsWithoutTask(slotTitles, rows)],
      doubled,
      stuck,
      wrong: [...wrong, ...heard.wrong, ...deployment.problems],
      lifecycles: rows.tasks.filter(({ status }) => status === 'completed').length,
      restarts: deployment.restarts,
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      traffic: deployment.traffic,
      answers: conversations.answers,
      reconnects: conversations.reconnects,
      slots: slotTitles.length,
    };
  } finally {
    await deployment.stop();
    await pool.end();
  }
}

/** Uses the replicas in every way while they are restarted, until all work has ended; returns the titles of the slots. */
async function useAll(
  { lifecycles, restartsOfEach, organizations, workers, ...options }: RollingOptions,
  deployment: Deployment,
  conversations: Conversations,
  pool: pg.Pool,
): Promise<string[]> {
  const over = new AbortController();
  const gone = new AbortController();
  try {
    const companies = [];
    for (let n = 1; n <= organizations; n += 1) companies.push(await openCompany(deployment, n));
    const slotTitles = await scheduleSlots(deployment, companies, options);
    const workload = new Workload(deployment, workers);
    const reading = conversations.read(companies, gone.signal);
    const using = [workload.work(over.signal), conversations.write(companies, over.signal)];
    let rolled = false;
    const rolling = (async () => {
      for (let round = 0; round < restartsOfEach || workload.created < lifecycles; round += 1)
        await deployment.restartEach();
      rolled = true;
    })();
    await Promise.all([workload.handIn(companies, () => rolled && workload.created >= lifecycles), rolling]);
    await untilAllEnded(pool);
    over.abort();
    await Promise.all(using);
    gone.abort();
    await reading;
    return slotTitles;
  } finally {
    over.abort();
    gone.abort();
  }
}

async function untilAllEnded(pool: pg.Pool): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  const open = `select count(*)::int as open from task where kind = 'task' and status not in ('completed', 'failed', 'cancelled')`;
  const slots = `select count(*)::int as open from schedule where next_run_at is not null`;
  for (const text of [slots, open])
    while ((await pool.query<{ open: number }>(text)).rows[0]!.open > 0 && performance.now() < deadline)
      await wait(100);
}

function slotsWithoutTask(slotTitles: readonly string[], { tasks }: Rows): string[] {
  const titles = new Set(tasks.map(({ title }) => title));
  return slotTitles.filter((title) => !titles.has(title)).map((title) => `${title} made no task`);
}
