import { setTimeout as wait } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import { Admission, type AdmissionLimits } from '../admission/index.ts';
import { valueTypes } from './value-types.ts';

export interface PoolOptions {
  readonly url: string;
  readonly max: number;
  /** How long a statement may take to answer; for a server that hangs. */
  readonly answerLimitMs: number;
}

const CONNECT_LIMIT_MS = 5_000;
const ROLLBACK_LIMIT_MS = 2_000;
const PROBE_LIMIT_MS = 1_000;

/** Of `pg`'s client what its declarations do not tell. */
interface Internals {
  readonly connection: { readonly stream: { destroy(): void } };
}

/**
 * Connections that are lent for the length of one piece of work and always come back: whole, or, once anything but a
 * plain refusal of the server was heard on them, as a place for a new one. (Measured before: a killed backend under a
 * transaction of entities cost its place for good.)
 */
export class Connections {
  readonly pool: pg.Pool;
  /** When it was first asked for a connection after one had come back whole. */
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
    // An idle connection that the server drops must not end the process; whoever is using one gets the error.
    this.pool.on('error', (error) => new Logger('Database').warn(`idle connection lost: ${error.message}`));
    this.pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** For how long it has served none of those who asked. */
  get unservedMs(): number {
    return this.askedAt === undefined ? 0 : performance.now() - this.askedAt;
  }

  /** Lends a connection for statements of which a failed one leaves no transaction open. */
  async lend<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.take();
    try {
      const result = await work(client);
      this.takeBack(client);
      return result;
    } catch (error) {
      // Any other error is one of the network, or ends the session.
      if ((error as { severity?: unknown }).severity === 'ERROR') this.takeBack(client);
      else drop(client);
      throw error;
    }
  }

  /** Lends a connection for a transaction that `work` begins and commits; whatever it throws rolls back. */
  async lendForTransaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.take();
    try {
      const result = await work(client);
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

/** At once: a goodbye to a server that hangs would keep the socket, and those who wait for its place. */
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

export type Login = 'app' | 'dispatch';

/** Connections of their own for one kind of calls, with the queues before them. */
export class ConnectionLane {
  /** The same one twice where both log in alike. */
  readonly connections: Readonly<Record<Login, Connections>>;
  private readonly admission: Admission;

  constructor(options: LaneOptions) {
    const { size: max, answerLimitMs, appUrl, dispatchUrl } = options;
    const app = new Connections({ url: appUrl, max, answerLimitMs });
    const dispatch = dispatchUrl === appUrl ? app : new Connections({ url: dispatchUrl, max, answerLimitMs });
    this.connections = { app, dispatch };
    this.admission = new Admission(options);
  }

  get unservedMs(): number {
    return Math.max(...Object.values(this.connections).map((each) => each.unservedMs));
  }

  /** Lends a connection when it is the key's turn. Work that holds one must not ask for another. */
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
   * Whether it has served nothing for `limitMs`, although it was asked, and does not serve a statement of its own either.
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
    const turn = this.admission.enter(key);
    if (turn) await turn;
    try {
      return await work();
    } finally {
      this.admission.leave(key);
    }
  }
}
