import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { DataFolder } from './data-folder.ts';
import type { ServerAccount } from './server-account.ts';
import { SPAWN_OPTIONS } from './server-programs.ts';

/** A live server of our folder. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** False while it starts, recovers or stops. */
  readonly ready: boolean;
}

/** A server that stays up at least until `fd`, our end of the pipe, is closed by us, or by the kernel when we die. */
export interface HeldServer extends RunningServer {
  readonly fd: number;
}

/** Crash recovery replays at most `max_wal_size` (1 GB). */
export const READY_LIMIT_MS = 60_000;
const GUARD_LIMIT_MS = 5_000;

/**
 * The guard: reads the pipe until no process holds it, then requests a fast shutdown. Repeats every line that it reads,
 * so that a joining process knows that the guard still held the server. Only SIGKILL ends it early.
 *
 * Checks with `grep`, because the pid of a crashed server may belong to another program by now. SIGINT is the fast
 * shutdown. SIGTERM before it ends a server that has not installed its handlers yet, because a shell's background
 * processes ignore SIGINT (measured: without it, kills in the first milliseconds left a server behind). `wait` or, for
 * a server that is not the guard's child, `sleep` keeps the pipe's reader open, so that no process adopts a server that
 * is about to stop.
 */
const WATCH = `
  trap "" HUP INT TERM
  echo "$server"
  while read -r line; do echo "$line"; done
  [ ! -e /proc/self/cmdline ] || grep -qsF "$data" "/proc/$server/cmdline" || exit
  kill -TERM "$server"
  kill -INT "$server"
  wait "$server"
  [ $? != 127 ] || sleep 5`;
const LAUNCH = `data=$1; shift; "$@" </dev/null >&2 & server=$!; ${WATCH}`;
const ADOPT = `data=$1 server=$2; ${WATCH}`;

/** The folder's live server, read from its pid file, whose lines 1, 4 and 8 are pid, port and status. */
export async function findServer(folder: DataFolder): Promise<RunningServer | undefined> {
  const lines = (readIfThere(folder.pidFile) ?? '').split('\n');
  const server = { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  if (!isAlive(folder, server.pid)) return undefined;
  if (server.ready && process.platform !== 'linux' && !(await answers(server.port))) return undefined;
  return server;
}

/**
 * Whether the process lives and is a server of our folder; on systems other than Linux, whether it lives. Zombies do
 * not count.
 */
function isAlive(folder: DataFolder, pid: number): boolean {
  if (!(pid > 0)) return false;
  if (process.platform === 'linux') return !!readIfThere(`/proc/${pid}/cmdline`)?.split('\0').includes(folder.cluster);
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], {
    ...SPAWN_OPTIONS,
    encoding: 'utf8',
  }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}

/** Starts a server if none is alive; undefined if it ended before it was ready. */
export async function launch(
  folder: DataFolder,
  account: ServerAccount,
  command: readonly string[],
): Promise<HeldServer | undefined> {
  // Looks again, because a server whose parent was killed while it started becomes visible only now.
  if (await findServer(folder)) return undefined;
  // PostgreSQL itself would refuse to start while the pid of a dead server exists as a zombie or another process.
  fs.rmSync(folder.pidFile, { force: true });
  // Makes a new pipe: holders of the old one hold a server that has gone.
  fs.rmSync(folder.pipe, { force: true });
  const fd = await watch(folder, account, LAUNCH, command);
  const outcome = await until(READY_LIMIT_MS, async () => {
    const pid = Number(readIfThere(folder.holders)?.split('\n')[0]);
    if (!pid) return undefined;
    if (!isAlive(folder, pid)) return 'ended';
    const server = await findServer(folder);
    return server?.pid === pid && server.ready ? server : undefined;
  });
  if (outcome && outcome !== 'ended') return { ...outcome, fd };
  fs.closeSync(fd);
  return undefined;
}

/** Takes hold of a live server, with a new guard if the old one was killed; undefined if it stops meanwhile. */
export async function hold(
  folder: DataFolder,
  account: ServerAccount,
  server: RunningServer,
): Promise<HeldServer | undefined> {
  const fd = openPipe(folder, fs.constants.O_WRONLY);
  if (fd === undefined) return { ...server, fd: await watch(folder, account, ADOPT, [String(server.pid)]) };

  const word = randomUUID();
  fs.writeSync(fd, `${word}\n`);
  const outcome = await until(GUARD_LIMIT_MS, () => {
    if (readIfThere(folder.holders)?.includes(word)) return 'held';
    return isAlive(folder, server.pid) ? undefined : 'ended';
  });
  if (outcome === 'held') return { ...server, fd };
  fs.closeSync(fd);
  return undefined;
}

/** Requests a fast shutdown, in case the guard was killed, and waits for its end; a second request changes nothing. */
export async function shutDown(folder: DataFolder, server: RunningServer, limitMs: number): Promise<void> {
  try {
    if (isAlive(folder, server.pid)) process.kill(server.pid, 'SIGINT');
  } catch (error) {
    if (!is(error, 'ESRCH')) throw error;
  }
  if (await until(limitMs, () => !isAlive(folder, server.pid))) return;
  throw new Error(
    `The embedded PostgreSQL (pid ${server.pid}) is still writing its data; wait until it ends by itself.`,
  );
}

/**
 * Whether any process holds the server. Call it under the folder's lock, when the pipe cannot contain the line of a
 * joining process.
 */
export function isHeld(folder: DataFolder): boolean {
  const fd = openPipe(folder, fs.constants.O_RDONLY);
  if (fd === undefined) return false;
  try {
    return fs.readSync(fd, Buffer.alloc(1)) > 0;
  } catch (error) {
    if (is(error, 'EAGAIN')) return true;
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

/** Calls `look` repeatedly until it finds something; undefined when the time is up. */
export async function until<T>(limitMs: number, look: () => T | Promise<T>, pauseMs = 10): Promise<T | undefined> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) return undefined;
    await setTimeout(pauseMs);
  }
}

/** Starts a guard on the pipe and returns our end, which no child inherits (Node opens files close-on-exec). */
async function watch(folder: DataFolder, account: ServerAccount, script: string, args: readonly string[]) {
  if (!fs.existsSync(folder.pipe)) await promisify(execFile)('mkfifo', ['-m', '600', folder.pipe], SPAWN_OPTIONS);
  // Opened without waiting, so that the next open does not wait for a reader either.
  const opener = openPipe(folder, fs.constants.O_RDONLY)!;
  const fd = fs.openSync(folder.pipe, fs.constants.O_WRONLY);
  const guardsEnd = fs.openSync(folder.pipe, fs.constants.O_RDONLY);
  const holders = fs.openSync(folder.holders, 'w', 0o600);
  const log = fs.openSync(folder.log, 'a', 0o600);
  const [program, ...rest] = [...account.prefix, 'sh', '-c', script, 'guard', folder.cluster, ...args];
  // Detached, so that the Ctrl-C of a terminal does not reach the server before our own drain has ended.
  const guard = spawn(program!, rest, { ...SPAWN_OPTIONS, detached: true, stdio: [guardsEnd, holders, log] });
  for (const end of [opener, guardsEnd, holders, log]) fs.closeSync(end);
  await once(guard, 'spawn');
  guard.unref();
  return fd;
}

/** Opens an end of the pipe without waiting; undefined if there is no pipe, or no reader for what we would write. */
function openPipe(folder: DataFolder, end: number): number | undefined {
  try {
    return fs.openSync(folder.pipe, end | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (is(error, 'ENOENT', 'ENXIO')) return undefined;
    throw error;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (is(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const answered = once(socket, 'connect').then(() => true);
  return answered.catch(() => false).finally(() => socket.destroy());
}

function is(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}
