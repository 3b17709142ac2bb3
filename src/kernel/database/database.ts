import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { Config } from '../../config/index.ts';
import { Batch, type Result } from './batch.ts';
import { asSubject, requireContext } from '../tenancy/index.ts';
import { DatabaseMetrics, type PoolName } from './database.metrics.ts';
import { ConnectionLane, Connections, type Login } from './connections.ts';
import { isJob, JOBS, type Lane, LANES, laneSizes, type Line } from '../admission/index.ts';
import { Metrics } from '../metrics/index.ts';
import { type Statement, sql } from '../sql/index.ts';

/**
 * The connections of a process. Those of the application are split into lanes, so that urgent calls do not wait for
 * others (see `Lane`); `direct` logs in as the tables' owner; `notices` carries notifications, which never wait for a
 * purge.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  readonly direct: Connections;
  readonly notices: Connections;
  /** For health checks, which wait for no other call. */
  readonly probe: Connections;
  private readonly lanes: Readonly<Record<Lane, ConnectionLane>>;
  /** Whether statements are prepared under a name, so that each connection plans them once. */
  readonly prepared: boolean;

  constructor(config: Config, metrics: Metrics) {
    const { url, dispatchUrl, directUrl, poolSize, prepared } = config.database;
    this.prepared = prepared;
    const sizes = laneSizes(poolSize);
    const laneOf = (lane: Lane) =>
      new ConnectionLane(
        {
          ...sizes[lane],
          queue: QUEUE,
          waitMs: lane === 'background' ? JOB_WAIT_MS : WAIT_MS,
          answerLimitMs: ANSWER_LIMIT_MS,
          appUrl: url,
          dispatchUrl,
        },
        {
          lent: metrics.histogram(DatabaseMetrics.lent, { pool: lane }),
          wait: metrics.histogram(DatabaseMetrics.wait, { pool: lane }),
          refused: metrics.counter(DatabaseMetrics.refused, { pool: lane }),
        },
      );
    const [urgent, ordinary] = [laneOf('urgent'), laneOf('ordinary')];
    this.lanes = { urgent, ordinary, background: sizes.background.size === 0 ? ordinary : laneOf('background') };
    // Has a longer limit, because a step of the purge or the move of a partition takes longer.
    this.direct = new Connections({ url: directUrl, max: 3, answerLimitMs: OWNER_ANSWER_LIMIT_MS });
    this.probe = new Connections({ url, max: 1, answerLimitMs: PROBE_LIMIT_MS });
    this.notices = new Connections({ url: directUrl, max: 1, answerLimitMs: ANSWER_LIMIT_MS });
    this.describe(metrics);
  }

  /** Runs statements as one pipeline, in one round trip and one transaction; returns one result each. */
  roundTrip(login: Login, line: Line, statements: readonly Statement[]): Promise<Result[]> {
    return this.roundTripOf(login, line, () => statements);
  }

  /** The same for statements that are collected until their connection is there. */
  roundTripOf(login: Login, line: Line, statements: () => readonly Statement[]): Promise<Result[]> {
    const { lane, key } = this.standing(line);
    return lane.lend(login, key, (client) => {
      const all = statements();
      requireContext(all);
      return Batch.run(client, all, this);
    });
  }

  /** Lends a connection for a transaction of several round trips; an error of `work` rolls it back. */
  transaction<T>(login: Login, line: Line, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const { lane, key } = this.standing(line);
    return lane.lendForTransaction(login, key, work);
  }

  /** Runs the query of a health check as the application; returns its rows. */
  async probed(query: Statement): Promise<unknown[]> {
    const statements = [asSubject(''), query];
    const [, result] = await this.probe.lend((client) => Batch.run(client, statements, { prepared: false }));
    return result!.rows;
  }

  /**
   * Whether a lane has served nothing for a minute although the database answers on the connection for health checks.
   * Then only a restart of the process helps.
   */
  async isStuck(): Promise<boolean> {
    const lanes = this.distinctLanes.filter((lane) => lane.unservedMs >= STUCK_MS);
    if (lanes.length === 0) return false;
    const answers = await this.probed(sql`select 1`).then(
      () => true,
      () => false,
    );
    return answers && (await Promise.all(lanes.map((lane) => lane.isStuck(STUCK_MS)))).includes(true);
  }

  async onApplicationShutdown(): Promise<void> {
    const all = [...this.distinctLanes, this.direct, this.notices, this.probe];
    await Promise.all(all.map((each) => each.end()));
  }

  private describe(metrics: Metrics): void {
    for (const name of LANES) {
      const lane = this.lanes[name];
      // With few connections jobs share the lane of ordinary calls, which then stands for both.
      if (name === 'background' && lane === this.lanes.ordinary) continue;
      metrics.gauge(DatabaseMetrics.waiting, () => lane.waiting, { pool: name });
      describePool(metrics, name, [...new Set(Object.values(lane.connections))]);
    }
    describePool(metrics, 'owner', [this.direct]);
    describePool(metrics, 'notices', [this.notices]);
    describePool(metrics, 'probe', [this.probe]);
  }

  private get distinctLanes(): readonly ConnectionLane[] {
    return [...new Set(LANES.map((lane) => this.lanes[lane]))];
  }

  private standing(line: Line): { readonly lane: ConnectionLane; readonly key: string | undefined } {
    const { lane, key } = isJob() ? JOBS : line;
    return { lane: this.lanes[lane], key };
  }
}

/** The connections of a pool; of two where the dispatch role has a login of its own. */
function describePool(metrics: Metrics, pool: PoolName, all: readonly Connections[]): void {
  const sum = (of: (each: Connections) => number) => all.reduce((total, each) => total + of(each), 0);
  const idle = () => sum((each) => each.pool.idleCount);
  metrics.gauge(DatabaseMetrics.connections, () => sum((each) => each.pool.totalCount) - idle(), {
    pool,
    state: 'in_use',
  });
  metrics.gauge(DatabaseMetrics.connections, idle, { pool, state: 'idle' });
  metrics.gauge(DatabaseMetrics.size, () => sum((each) => each.pool.options.max), { pool });
}

/** Limit for a server that hangs; one that works ends statements itself after 10 s (`kernel/tenancy`). */
const ANSWER_LIMIT_MS = 15_000;
const PROBE_LIMIT_MS = 2_000;
const STUCK_MS = 60_000;
const OWNER_ANSWER_LIMIT_MS = 10 * 60_000;
/** How long a call may wait for its connection; a job may wait longer, because no caller waits for it. */
const WAIT_MS = 5_000;
const JOB_WAIT_MS = 60_000;
/** Most waiting calls of one organization; each keeps its body of up to 1 MiB in memory. */
const QUEUE = 500;
