import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedServer, freePort, startEmbeddedServer } from '../src/embedded/index.ts';
import { Child } from './child.ts';
import { Random } from './random.ts';

const APIS = 2;
const WORKERS = 16;
const START_LIMIT_MS = 60_000;

/** Everything that runs: a database, two API processes, sixteen runtimes. */
export class Cluster {
  readonly ownerToken = randomBytes(32).toString('base64url');
  readonly serviceToken = randomBytes(32).toString('base64url');
  readonly historyFolder: string;
  readonly apis: Child[] = [];
  readonly workers: Child[] = [];
  bases: readonly string[] = [];
  private readonly folder: string;
  private readonly seed: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly random: Random;
  private database!: EmbeddedServer;
  private pool!: pg.Pool;

  private constructor(folder: string, seed: string, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.seed = seed;
    this.env = env;
    this.random = new Random(`${seed} cluster`);
    this.historyFolder = join(folder, 'history');
    mkdirSync(this.historyFolder, { recursive: true });
  }

  /** A database and the API processes, ready; `env` on top of what all runs of faults set. */
  static async start(folder: string, seed: string, env: Readonly<Record<string, string>> = {}): Promise<Cluster> {
    const cluster = new Cluster(folder, seed, env);
    cluster.database = await startEmbeddedServer({ dataDir: join(folder, 'data') });
    cluster.pool = new pg.Pool({ connectionString: cluster.database.url, max: 2 });
    // Its connections break with every restart of the database.
    cluster.pool.on('error', () => {});
    // Each API keeps its port over restarts, so that clients find it again.
    const ports = [];
    for (let n = 0; n < APIS; n += 1) ports.push(await freePort());
    cluster.bases = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const [n, port] of ports.entries()) cluster.apis.push(cluster.api(n + 1, port));
    await cluster.untilReady();
    return cluster;
  }

  startWorkers(): void {
    for (let n = 1; n <= WORKERS; n += 1) this.workers.push(this.worker(`worker-${n}`));
  }

  async untilReady(): Promise<void> {
    const deadline = performance.now() + START_LIMIT_MS;
    const isReady = async (base: string) => (await fetch(`${base}/health/ready`).catch(() => undefined))?.ok === true;
    while (!(await Promise.all(this.bases.map(isReady))).every(Boolean)) {
      if (performance.now() > deadline) throw new Error(`The API is not ready; see ${this.folder}`);
      await wait(100);
    }
  }

  /** Rows of a statement of the superuser's; repeated while the database is away. */
  async rows<T extends object>(text: string): Promise<T[]> {
    const deadline = performance.now() + START_LIMIT_MS;
    for (;;) {
      try {
        return (await this.pool.query<T>(text)).rows;
      } catch (error) {
        // Errors of the statement itself have a position in it.
        if ((error as pg.DatabaseError).position || performance.now() > deadline) throw error;
        await wait(100);
      }
    }
  }

  /** Pids of sessions of the service at the database, those in a transaction first. */
  async sessions(): Promise<number[]> {
    const { rows } = await this.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
         and datname = current_database()
       order by state = 'idle', random()`,
    );
    return rows.map(({ pid }) => pid);
  }

  async cutSession(pid: number): Promise<void> {
    await this.pool.query('select pg_terminate_backend($1)', [pid]);
  }

  /** Ends every session of the service. */
  async cutAllSessions(): Promise<void> {
    await this.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'business-runner%'`,
    );
  }

  /** Restarts the database as an operator does: a fast shutdown, then the same data at the same address. */
  async restartDatabase(): Promise<void> {
    const { port } = new URL(this.database.url);
    await this.database.stop();
    this.database = await startEmbeddedServer({ dataDir: join(this.folder, 'data'), settings: { port } });
  }

  /** Locks a table during `work`, which may ask how many sessions of owners' calls wait for the lock. */
  async holdingUp(table: string, work: (countWaiting: () => Promise<number>) => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: this.database.url });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`lock table ${table} in access exclusive mode`);
      await work(async () => {
        const [row] = await this.rows<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
           where application_name = 'business-runner' and wait_event_type = 'Lock' and query like '%entering_member%'`,
        );
        return row!.waiting;
      });
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await Promise.all(this.apis.map((api) => api.stop()));
    await this.pool?.end();
    await this.database?.stop();
  }

  private api(n: number, port: number): Child {
    const env = {
      DATABASE_URL: this.database.url,
      OBJECT_STORE_DIR: join(this.folder, 'objects'),
      OWNER_BOOTSTRAP_TOKEN: this.ownerToken,
      AGENT_SERVICE_TOKENS: this.serviceToken,
      CAPABILITY_KEYS: `k1:${this.capabilityKey}`,
      ENCRYPTION_KEYS: `k1:${this.encryptionKey}`,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      SHUTDOWN_DRAIN_SECONDS: '0',
      // Short, so that dead runs are found soon.
      RUN_LEASE_SECONDS: '3',
      RUN_CLAIM_LEASE_SECONDS: '2',
      RUN_START_DEADLINE_SECONDS: '10',
      RUN_MAX_SECONDS: '60',
      ...this.env,
    };
    const args = ['--import', './faults/api-preload.ts', 'scripts/run.mjs', '../dist/src/main.js'];
    return new Child({
      name: `api-${n}`,
      start: () => ({ args, env }),
      logFile: join(this.folder, `api-${n}.log`),
      restartAfterMs: () => this.random.between(0, 800),
    });
  }

  private readonly capabilityKey = randomBytes(32).toString('base64url');
  private readonly encryptionKey = randomBytes(32).toString('base64url');

  private worker(workerId: string): Child {
    return new Child({
      name: workerId,
      start: (life) => {
        const env = {
          WORKER_ID: workerId,
          LIFE: String(life),
          SEED: this.seed,
          HISTORY: this.historyFolder,
          BASES: this.bases.join(','),
          AGENT_SERVICE_TOKEN: this.serviceToken,
        };
        return { args: ['scripts/run.mjs', '../faults/worker.ts'], env };
      },
      logFile: join(this.folder, 'workers.log'),
      restartAfterMs: () => this.random.between(0, 800),
    });
  }
}
