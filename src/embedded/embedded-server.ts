/**
 * No single process owns the server. Every process that uses it holds the write end of one named pipe, and a guard, the
 * shell that starts the server, reads the other end. The kernel closes the ends of a dead process, so the guard reads
 * end-of-file when the last holder has gone, and only then stops the server. Because the pipe is held jointly, the
 * process that started the server can leave without handing anything over. (A session advisory lock would cost each
 * process a connection, and the guard could not see it.)
 *
 * Starting, joining and leaving happen one at a time, under a file lock that the kernel also releases.
 */
import * as fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { ConfigError } from '../config/index.ts';
import { sqlState, SqlState } from '../kernel/sql/index.ts';
import { initialiseCluster } from './cluster.ts';
import { openDataFolder, SUPERUSER, superuserPassword, type DataFolder } from './data-folder.ts';
import { freePort } from './free-port.ts';
import { serverAccount, type ServerAccount } from './server-account.ts';
import { runnablePrograms, serverPrograms } from './server-programs.ts';
import {
  findServer,
  hold,
  isHeld,
  launch,
  READY_LIMIT_MS,
  shutDown,
  until,
  type HeldServer,
} from './server-process.ts';

export interface EmbeddedServerOptions {
  /** Holds data, log and password. Made with mode 0700 if missing. */
  readonly dataDir: string;
  /** Created if missing; `business_runner` by default. */
  readonly database?: string;
  /**
   * Server settings in addition to ours, e.g. `{ fsync: 'off' }` in tests. A server that already runs keeps its own.
   */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedServer {
  /** Connection string of the superuser, on 127.0.0.1. */
  readonly url: string;
  /** Whether this call made the data folder's cluster. */
  readonly firstStart: boolean;
  /** Lets go of the server and, if no other process holds it, waits until it has stopped. May be called again. */
  stop(): Promise<void>;
}

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 10_000;
const HOLDER_LIMIT_MS = 2_000;
const RETRY_MS = 100;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Would log every five minutes for ever, and this log is not rotated.
  log_checkpoints: 'off',
};

/** Starts the server of `dataDir`, or joins the one that already runs. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { dataDir, database = 'business_runner', settings = {} } = options;
  const shipped = await serverPrograms();
  const folder = openDataFolder(dataDir);
  return exclusively(folder, READY_LIMIT_MS, async () => {
    const account = await serverAccount(folder);
    const programs = await runnablePrograms(shipped, account.plain);
    const password = superuserPassword(folder);
    const durable = settings['fsync'] !== 'off';
    const firstStart = await initialiseCluster(folder, account, programs.initdb, password, { durable });
    const server = await joinOrLaunch(folder, account, programs.postgres, { ...SETTINGS, ...settings });
    const urlOf = (name: string) =>
      `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;
    try {
      await ensureDatabase(urlOf('postgres'), database);
    } catch (error) {
      fs.closeSync(server.fd);
      if (sqlState(error) !== SqlState.wrongPassword) throw error;
      const problem = `${folder.password} does not hold the password of the data in ${folder.cluster}; restore the right one`;
      throw new ConfigError('DATA_DIR', problem);
    }
    let stopping: Promise<void> | undefined;
    return { url: urlOf(database), firstStart, stop: () => (stopping ??= leave(folder, server)) };
  });
}

async function joinOrLaunch(
  folder: DataFolder,
  account: ServerAccount,
  postgres: string,
  settings: Readonly<Record<string, string>>,
): Promise<HeldServer> {
  const attempt = async (): Promise<HeldServer | undefined> => {
    const settled = await until(READY_LIMIT_MS, async () => {
      const server = await findServer(folder);
      return !server || server.ready ? { server } : undefined;
    });
    if (!settled) return undefined;
    if (settled.server) return hold(folder, account, settled.server);
    const all = { port: String(await freePort()), ...settings };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return launchAlone(folder, account, [postgres, '-D', folder.cluster, ...args]);
  };
  // Retries because the free port may be taken by now, a server that was found may have been about to stop, and after a
  // crash a busy session of the old server keeps its shared memory for a moment.
  const server = await until(START_LIMIT_MS, attempt, RETRY_MS);
  if (server) return server;
  const log = fs.existsSync(folder.log) ? fs.readFileSync(folder.log, 'utf8') : '';
  const lines = log.trimEnd().split('\n').slice(-10);
  const reason = lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1)!;
  throw new ConfigError('DATA_DIR', `the embedded PostgreSQL did not start; ${folder.log} ends with: ${reason}`);
}

/**
 * Launches only if no process holds the pipe, because two servers on the same data would destroy it. PostgreSQL
 * prevents that among processes that see each other; a held pipe without a visible server means containers that share
 * the folder, or a server that crashed while it was held.
 */
async function launchAlone(
  folder: DataFolder,
  account: ServerAccount,
  command: readonly string[],
): Promise<HeldServer | undefined> {
  // Waits because a holder that is being killed lets go a moment later.
  if (await until(HOLDER_LIMIT_MS, () => !isHeld(folder))) return launch(folder, account, command);
  throw new ConfigError(
    'DATA_DIR',
    `${folder.root} is held by a process that lost its server or runs in another container; stop it first`,
  );
}

async function leave(folder: DataFolder, server: HeldServer): Promise<void> {
  fs.closeSync(server.fd);
  await exclusively(folder, STOP_LIMIT_MS, async () => {
    if (!isHeld(folder)) await shutDown(folder, server, STOP_LIMIT_MS);
  });
}

async function ensureDatabase(maintenanceUrl: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: maintenanceUrl, ssl: false });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

/**
 * Runs `work` while no other process does so in this folder. Uses SQLite, which has the only file lock that Node can
 * take.
 */
async function exclusively<T>(folder: DataFolder, limitMs: number, work: () => Promise<T>): Promise<T> {
  const lock = new DatabaseSync(folder.lock, { timeout: 0 });
  try {
    const held = await until(limitMs, () => {
      try {
        lock.exec('begin exclusive');
        return true;
      } catch (error) {
        const SQLITE_BUSY = 5;
        if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
        throw new ConfigError('DATA_DIR', `${folder.lock} cannot be locked: ${(error as Error).message}`);
      }
    });
    if (!held)
      throw new ConfigError(
        'DATA_DIR',
        `another process is still starting or stopping the server in ${folder.root}; try again`,
      );
    return await work();
  } finally {
    lock.close();
  }
}
