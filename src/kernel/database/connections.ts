import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { Admission, type AdmissionLimits } from '../admission/index.ts';
import type { Addend, Sample } from '../metrics/index.ts';
import { traced } from './traced-client.ts';
import { valueTypes } from './value-types.ts';

export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  /** Longest wait for the answer of a statement, in case the server hangs. */
  readonly answerLimitMs: number;
}

const CONNECT_LIMIT_MS = 5_000;
const ROLLBACK_LIMIT_MS = 2_000;
const PROBE_LIMIT_MS = 1_000;

/** The part of `pg`'s client that its types do not declare. */
interface Internals {
  readonly connection: { readonly stream: { destroy(): void } };
}

/**
 * Lends connections for one piece of work each and always gets them back: intact or, after anything but a plain error
 * of the server, closed and replaced. (Measured before: a backend that was killed in a transaction of entities cost its
 * place in the pool for good.)
 */
export class Connections {
  readonly pool: pg.Pool;
  /** The time of the first request for a connection since one last came back intact. */
  private askedAt: number | undefined;

  constructor({ url, max, answerLimitMs }: PoolOptions) {
    this.pool = new pg.Pool({
      connectionString: url,
      max,
      types: valueTypes,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      query_timeout: answerLimitMs,
      application_name: 'business-runner',
    });
    // An idle connection that the server closes must not end the process; the user of a busy one gets the error. After
    // `end`, which does not wait until they are closed, a server that stops as well may be quicker: no loss.
    this.pool.on('error', ({ message }) => {
      if (!this.pool.ending) new Logger('Database').warn(`idle connection lost: ${message}`);
    });
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** How long no request for a connection has been served. */
  get unservedMs(): number {
    return this.askedAt === undefined ? 0 : performance.now() - this.askedAt;
  }

  /** Lends a connection for statements that leave no transaction open when they fail. */
  async lend<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.take();
    try {
      const result = await traced(client, work);
      this.takeBack(client);
      return result;
    } catch (error) {
      // Other errors are those of the network or end the session.
      if ((error as { severity?: unknown }).severity === 'ERROR') this.takeBack(client);
      else drop(client);
      throw error;
    }
  }

  /** Lends a connection for a transaction that `work` begins and commits; an error rolls it back. */
  async lendForTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.take();
    try {
      const result = await traced(client, work);
      this.takeBack(client);
      return result;
    } catch (error) {
      if (await rolledBack(client)) this.takeBack(client);
      else drop(client);
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.pool.end();
  }

  private take(): Promise<pg.PoolClient> {
    this.askedAt ??= performance.now();
    return this.pool.connect();
  }

  private takeBack(client: pg.PoolClient): void {
    this.askedAt = undefined;
    client.release();
  }
}

/**
 * Closes the connection at once. A polite end would wait for a server that hangs, and keep callers waiting for its
 * place.
 */
function drop(client: pg.PoolClient): void {
  (client as unknown as Internals).connection.stream.destroy();
  client.release(true);
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  const rollback = { text: 'rollback', query_timeout: ROLLBACK_LIMIT_MS };
  return client.query(rollback).then(
    () => true,
    () => false,
  );
}

export interface LaneOptions extends AdmissionLimits {
  readonly answerLimitMs: number;
  readonly appUrl: string;
  readonly dispatchUrl: string;
}

/** What a lane tells of its calls. */
export interface LaneMetrics {
  /** Seconds for which calls held their connection. */
  readonly lent: Sample;
  /** Seconds that calls waited, of those that had to. */
  readonly wait: Sample;
  readonly refused: Addend;
}

export type Login = 'app' | 'dispatch';

/** Separate connections for one kind of calls, and the queues for them. */
export class ConnectionLane {
  /** The same object twice if both use the same login. */
  readonly connections: Readonly<Record<Login, Connections>>;
  private readonly admission: Admission;

  constructor(
    options: LaneOptions,
    private readonly metrics: LaneMetrics,
  ) {
    const { size: max, answerLimitMs, appUrl, dispatchUrl } = options;
    const app = new Connections({ url: appUrl, max, answerLimitMs });
    const dispatch = dispatchUrl === appUrl ? app : new Connections({ url: dispatchUrl, max, answerLimitMs });
    this.connections = { app, dispatch };
    this.admission = new Admission(options);
  }

  /** Number of calls that wait for their turn. */
  get waiting(): number {
    return this.admission.waiting;
  }

  get unservedMs(): number {
    return Math.max(...Object.values(this.connections).map((each) => each.unservedMs));
  }

  /** Lends a connection when it is the key's turn. Work that holds one must not request another. */
  lend<T>(login: Login, key: string | undefined, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.admitted(key, () => this.connections[login].lend(work));
  }

  lendForTransaction<T>(
    login: Login,
    key: string | undefined,
    work: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    return this.admitted(key, () => this.connections[login].lendForTransaction(work));
  }

  /**
   * Whether it has served no request for `limitMs` although there were some, and does not serve a test statement
   * either.
   */
  async isStuck(limitMs: number): Promise<boolean> {
    for (const login of ['app', 'dispatch'] as const) {
      if (this.connections[login].unservedMs < limitMs) continue;
      const served = this.lend(login, undefined, (client) => client.query('select 1')).then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([served, wait(PROBE_LIMIT_MS, false, { ref: false })]))) return true;
    }
    return false;
  }

  async end(): Promise<void> {
    await Promise.all([...new Set(Object.values(this.connections))].map((each) => each.end()));
  }

  private async admitted<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
    const turn = this.enter(key);
    if (turn) await turn;
    const beganMs = performance.now();
    try {
      return await work();
    } finally {
      this.admission.leave(key);
      this.metrics.lent.observe((performance.now() - beganMs) / 1_000);
    }
  }

  /** Admits at once (undefined) if there is room. */
  private enter(key: string | undefined): Promise<void> | undefined {
    try {
      const turn = this.admission.enter(key);
      return turn && this.measured(turn);
    } catch (error) {
      this.metrics.refused.inc();
      throw error;
    }
  }

  private async measured(turn: Promise<void>): Promise<void> {
    const askedMs = performance.now();
    try {
      await turn;
      this.metrics.wait.observe((performance.now() - askedMs) / 1_000);
    } catch (error) {
      this.metrics.refused.inc();
      throw error;
    }
  }
}
