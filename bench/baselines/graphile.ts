import { Logger, run, runMigrations } from 'graphile-worker';
import pg from 'pg';
import { quantile } from '../stats.ts';
import type { Job, LoadResult } from '../load/job.ts';

const silent = new Logger(() => () => undefined);
/** More than it works off in a second on anything that this runs on. */
const JOBS_PER_SECOND = 5_000;

/** Trivial jobs with the default settings of graphile-worker, how many of them a second. */
export async function trivialJobs(job: Extract<Job, { kind: 'trivial-jobs' }>): Promise<LoadResult> {
  const { database, concurrency, seconds } = job;
  await withClient(database, async (client) => {
    await runMigrations({ connectionString: database, logger: silent });
    await client.query('truncate graphile_worker._private_jobs');
    await client.query(
      `select count(*) from graphile_worker.add_jobs(array(
         select row('trivial', '{}', null, null, null, null, null, null)::graphile_worker.job_spec from generate_series(1, $1::int)))`,
      [Math.ceil(seconds * JOBS_PER_SECOND)],
    );
    await client.query('analyze graphile_worker._private_jobs');
  });
  let done = 0;
  const startCpu = process.cpuUsage();
  const runner = await run({
    connectionString: database,
    concurrency,
    noHandleSignals: true,
    logger: silent,
    taskList: { trivial: () => void (done += 1) },
  });
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const warmUpMs = Math.min(1_000, seconds * 200);
  await sleep(warmUpMs);
  const [before, from] = [done, performance.now()];
  await sleep(seconds * 1_000 - warmUpMs);
  const [operations, tookMs] = [done - before, performance.now() - from];
  await runner.stop();
  const cpu = process.cpuUsage(startCpu);
  await withClient(database, (client) => client.query('truncate graphile_worker._private_jobs'));
  return {
    operations,
    seconds: tookMs / 1_000,
    failures: 0,
    firstFailure: undefined,
    steps: {},
    cpuMs: (cpu.user + cpu.system) / 1_000,
    total: done,
  };
}

/** From the commit of a job to the begin of its work by a worker that waits for it, one after the other. */
export async function jobWakeups(job: Extract<Job, { kind: 'wakeups' }>): Promise<LoadResult> {
  const { database, count } = job;
  const begins: number[] = [];
  let woken: () => void = () => undefined;
  await runMigrations({ connectionString: database, logger: silent });
  const runner = await run({
    connectionString: database,
    concurrency: 4,
    noHandleSignals: true,
    logger: silent,
    taskList: {
      wakeup: () => {
        begins.push(performance.timeOrigin + performance.now());
        woken();
      },
    },
  });
  const startedAt = performance.now();
  const commits = await withClient(database, async (client) => {
    const transactions: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const begun = new Promise<void>((resolve) => (woken = resolve));
      const { rows } = await client.query<{ xid: string }>(
        `select pg_current_xact_id()::xid as xid from graphile_worker.add_job('wakeup')`,
      );
      transactions.push(rows[0]!.xid);
      await begun;
    }
    const { rows } = await client.query<{ at: number }>(
      `select ${commitMs('xid')} as at from unnest($1::xid[]) with ordinality t(xid, place) order by place`,
      [transactions],
    );
    return rows.map(({ at }) => at);
  });
  await runner.stop();
  return wakeupResult(
    begins.map((at, index) => at - commits[index]!),
    startedAt,
  );
}

/** When a transaction committed, in milliseconds since 1970: its record was written then, and not on disk yet. */
export function commitMs(xid: string): string {
  return `(extract(epoch from pg_xact_commit_timestamp(${xid})) * 1000)::float8`;
}

/** The first few of a worker's life are not what it does later. */
export function wakeupResult(all: readonly number[], startedAt: number): LoadResult {
  const latencies = all.slice(Math.floor(all.length / 10));
  return {
    operations: latencies.length,
    seconds: (performance.now() - startedAt) / 1_000,
    failures: 0,
    firstFailure: undefined,
    steps: { wakeup: { count: latencies.length, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) } },
    cpuMs: Number.NaN,
    total: all.length,
  };
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
