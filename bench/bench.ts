import { setTimeout as wait } from 'node:timers/promises';
import type { Job, LeasedItem, LoadResult, PreparedRequest } from './load/job.ts';
import { LIST_NAMES } from './baselines/bare-reads.ts';
import { seedConversations } from './conversations.ts';
import { type ListPaths, listPaths } from './list-paths.ts';
import { cpuMs, quietMoment } from './machine.ts';
import { JobProcess, type ServerProcess } from './processes.ts';
import { LEASE_TOKEN, Seeds, type PoolName } from './seeds.ts';
import type { Sample } from './stats.ts';
import { type BenchDatabase, SERVICE_TOKEN, startBareFastify, startDatabase, startService } from './service.ts';

export interface Pace {
  readonly quick: boolean;
  readonly rounds: number;
  /** Of one measurement of one side. */
  readonly seconds: number;
  readonly soakSeconds: number;
}

export interface LifecycleOptions {
  readonly via?: 'service' | 'bare' | 'sql';
  readonly workers?: number;
  readonly pool?: PoolName;
  readonly seconds?: number;
  readonly perSecond?: number;
  readonly beats?: number;
}

/** CPU of each process while the load was made, in milliseconds. */
export interface Cpu {
  readonly service: number;
  readonly bare: number;
  readonly database: number;
}

export interface Measured extends LoadResult {
  readonly cpu: Cpu;
}

/** Those whose CPU is measured. */
export interface Servers {
  readonly service: ServerProcess;
  readonly bare: ServerProcess;
}

/** In quick mode one look: nothing there is judged by time. */
const QUIET_LIMIT_MS = { quick: 0, full: 2_000 } as const;

/**
 * The time under load after which each side runs compiled code; a lifecycle costs a cold service twice as much as a
 * warm one.
 */
const WARM_UP_SECONDS = {
  lists: { service: 12, bare: 4 },
  lifecycles: { service: 30, bare: 8, sql: 8 },
} as const;

/** More than a side gets through in a second. */
const LIFECYCLES_PER_SECOND = { service: 700, bare: 1_500, sql: 3_000 } as const;

/** Everything that runs, and the ways to measure it. */
export class Bench {
  /** What the load's own process can do at most, against a route that does nothing, and what a call costs it. */
  generator = { perSecond: Number.NaN, cpuMsPerCall: Number.NaN };
  readonly background: number[] = [];
  readonly failures: string[] = [];
  readonly database: BenchDatabase;
  readonly service: ServerProcess;
  readonly bare: ServerProcess;
  readonly seeds: Seeds;
  readonly lists: ListPaths;
  readonly pace: Pace;
  private readonly load: JobProcess<Job, LoadResult>;
  private readonly claimed = new Map<PoolName, LeasedItem[]>();

  private constructor(parts: Pick<Bench, 'database' | 'service' | 'bare' | 'seeds' | 'lists' | 'pace'>) {
    this.database = parts.database;
    this.service = parts.service;
    this.bare = parts.bare;
    this.seeds = parts.seeds;
    this.lists = parts.lists;
    this.pace = parts.pace;
    this.load = new JobProcess('load/child.ts');
  }

  static async open(pace: Pace): Promise<Bench> {
    const database = await startDatabase();
    const [service, bare] = await Promise.all([startService(database), startBareFastify(database.url)]);
    const seeds = new Seeds(database.url);
    await seeds.world(service.baseUrl);
    // History, so that nothing is measured on empty tables.
    const work = async () => {
      await seeds.work('lists', pace.quick ? 3_000 : 60_000, 'completed');
      await seeds.runs('lists', 'succeeded');
      await seeds.work('spread', pace.quick ? 3_000 : 50_000, 'completed');
      await seeds.runs('spread', 'succeeded');
    };
    const [chat] = await Promise.all([seedConversations(seeds, pace.quick ? 3_000 : 52_000), work()]);
    await seeds.query('vacuum analyze');
    return new Bench({
      database,
      service,
      bare,
      seeds,
      lists: listPaths(await seeds.organization('lists'), chat),
      pace,
    });
  }

  /** What is measured first must not pay for what a process does once. */
  async warmUp(): Promise<void> {
    for (const side of ['service', 'bare'] as const)
      await this.reads(
        side,
        LIST_NAMES.map((name) => ({ method: 'GET', path: this.lists[name][side] })),
        { seconds: this.warmUpSeconds(WARM_UP_SECONDS.lists[side]) },
      );
    for (const via of ['service', 'bare', 'sql'] as const)
      await this.lifecycles({ via, seconds: this.warmUpSeconds(WARM_UP_SECONDS.lifecycles[via]) });
    const { cpuMs: own, total, ...empty } = await this.reads('bare', [{ method: 'GET', path: '/nothing' }]);
    this.generator = { perSecond: Math.round(rate({ ...empty, cpuMs: own, total })), cpuMsPerCall: own / total };
  }

  /** In quick mode nothing is judged by time, so a round is enough. */
  warmUpSeconds(seconds: number): number {
    return this.pace.quick ? this.pace.seconds : seconds;
  }

  /** What was noted since the lists were last emptied. */
  circumstances(): { readonly background: readonly number[]; readonly failures: readonly string[] } {
    return { background: [...this.background], failures: [...this.failures] };
  }

  async close(): Promise<void> {
    await this.load.stop();
    await Promise.all([this.service.stop(), this.bare.stop()]);
    await this.seeds.close();
    await this.database.stop();
  }

  /** Interleaved rounds of all sides, each in a quiet moment. */
  async rounds<Result>(measure: (round: number) => Promise<Result>, rounds = this.pace.rounds): Promise<Result[]> {
    const results: Result[] = [];
    for (let round = 0; round < rounds; round += 1) results.push(await measure(round));
    return results;
  }

  /** Makes the load in its own process. */
  async run(job: Job, servers: Servers = this): Promise<Measured> {
    const { result, cpu } = await this.watch(() => this.load.run(job), servers);
    if (result.firstFailure !== undefined)
      this.failures.push(`${job.kind}: ${result.failures} failed, the first with: ${result.firstFailure}`);
    return { ...result, cpu };
  }

  /** Does something after a wait for a quiet moment, and says what that cost the servers. */
  async watch<Result>(
    work: () => Promise<Result>,
    servers: Servers = this,
  ): Promise<{ readonly result: Result; readonly cpu: Cpu }> {
    const share = await quietMoment(this.pace.quick ? QUIET_LIMIT_MS.quick : QUIET_LIMIT_MS.full);
    if (share !== undefined) this.background.push(share);
    const before = this.spent(servers);
    const result = await work();
    // The database's processes may still be writing what was committed.
    await wait(50);
    const after = this.spent(servers);
    const cpu = {
      service: after.service - before.service,
      bare: after.bare - before.bare,
      database: after.database - before.database,
    };
    return { result, cpu };
  }

  private spent({ service, bare }: Servers): Cpu {
    return { service: cpuMs(service.pid), bare: cpuMs(bare.pid), database: cpuMs(this.database.pid) };
  }

  async lifecycles(options: LifecycleOptions = {}): Promise<Measured> {
    const {
      via = 'service',
      workers = 32,
      pool = 'spread',
      seconds = this.pace.seconds,
      beats = 1,
      perSecond,
    } = options;
    const items = await this.items(pool, Math.ceil((perSecond ?? LIFECYCLES_PER_SECOND[via]) * seconds));
    const target = { service: this.service.baseUrl, bare: this.bare.baseUrl, sql: this.database.url }[via];
    const result = await this.run({
      kind: 'lifecycles',
      via,
      target,
      token: SERVICE_TOKEN,
      leaseToken: LEASE_TOKEN,
      items,
      beats,
      workers,
      seconds,
      ...(perSecond === undefined ? {} : { perSecond }),
    });
    // What was not begun is there for the next measurement.
    this.claimed.get(pool)!.unshift(...items.slice(result.total + result.failures + workers));
    return result;
  }

  /** Prepares `count` claimed requests beforehand, for a measurement that must not come right after their seeding. */
  async prepare(pool: PoolName, count: number): Promise<void> {
    const items = this.claimed.get(pool) ?? [];
    if (items.length < count) items.push(...(await this.seeds.work(pool, count - items.length, 'claimed')));
    this.claimed.set(pool, items);
  }

  private async items(pool: PoolName, count: number): Promise<LeasedItem[]> {
    await this.prepare(pool, count);
    return this.claimed.get(pool)!.splice(0, count);
  }

  /** Requests to the service as its owner, or to bare Fastify. */
  reads(
    side: 'service' | 'bare',
    requests: readonly PreparedRequest[],
    { workers = 32, seconds = this.pace.seconds }: { workers?: number; seconds?: number } = {},
  ): Promise<Measured> {
    const target = side === 'service' ? this.service.baseUrl : this.bare.baseUrl;
    return this.run({ kind: 'requests', target, token: this.seeds.ownerToken, requests, workers, seconds });
  }

  /** Requests to the service as a runtime. */
  calls(
    requests: readonly PreparedRequest[],
    {
      workers = 32,
      seconds = this.pace.seconds,
      perSecond,
    }: { workers?: number; seconds?: number; perSecond?: number } = {},
  ): Promise<Measured> {
    return this.run({
      kind: 'requests',
      target: this.service.baseUrl,
      token: SERVICE_TOKEN,
      requests,
      workers,
      seconds,
      ...(perSecond === undefined ? {} : { perSecond }),
    });
  }
}

export function rate({ operations, seconds }: LoadResult): number {
  return operations / seconds;
}

/** CPU that an operation costs, with that of the database, in milliseconds; where there is no server, the caller's own. */
export function cpuOf({ cpu, cpuMs, total }: Measured, side: 'service' | 'bare' | 'sql'): number {
  const server = side === 'sql' ? cpuMs : cpu[side];
  return (server + cpu.database) / total;
}

/** Rates of two sides, and what an operation costs on each. */
export function rates(value: Measured, baseline: Measured, side: 'service' | 'bare' | 'sql'): Sample {
  return {
    value: rate(value),
    baseline: rate(baseline),
    cpu: {
      value: cpuOf(value, 'service'),
      baseline: cpuOf(baseline, side),
      database: { value: value.cpu.database / value.total, baseline: baseline.cpu.database / baseline.total },
    },
  };
}
