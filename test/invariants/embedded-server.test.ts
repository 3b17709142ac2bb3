import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { runnablePrograms, serverPrograms, succeeds } from '../../src/kernel/database/embedded/server-programs.ts';

const CHILD = fileURLToPath(new URL('../support/embedded-server-child.ts', import.meta.url));
const NOBODY = 65534;
const DAC_OVERRIDE = 1n << 1n;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
/** The service's promise is 5 s; the rest is the test's own polling. */
const STOP_LIMIT_MS = 5_000;

const onLinux = process.platform === 'linux' ? it : it.skip;
const isRoot = process.platform === 'linux' && process.getuid!() === 0;
const asRoot = isRoot ? it : it.skip;
const nobodyCanRead = isRoot && spawnSync(AS_NOBODY[0]!, [...AS_NOBODY.slice(1), 'test', '-r', CHILD]).status === 0;
const asNobody = nobodyCanRead ? it : it.skip;

describe('embedded server', () => {
  let home: string;
  let dataDir: string;
  let children: ChildProcessWithoutNullStreams[];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'embedded-server-'));
    chmodSync(home, 0o755);
    dataDir = join(home, 'data');
    children = [];
  });

  afterEach(async () => {
    const pid = serverPid();
    for (const child of children) await kill(child);
    if (pid) await gone(pid).catch(() => process.kill(pid, 'SIGKILL'));
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('keeps data from the first start to the second', async () => {
    const first = await start();
    expect(first.firstStart).toBe(true);
    await query(first.url, "create table note as select 'kept' as text");
    await stop(first);

    const second = await start();
    expect(second.firstStart).toBe(false);
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await stop(second);
  });

  it('listens on loopback with a password, is durable and leaves nothing readable to others', async () => {
    const { url } = await start();
    const [settings] = await query(
      url,
      `select current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets,
              current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('timezone') as timezone, current_database() as database,
              (select datlocale from pg_database where datname = current_database()) as locale`,
    );
    expect(settings).toEqual({
      addresses: '127.0.0.1',
      sockets: '',
      fsync: 'on',
      commit: 'on',
      timezone: 'UTC',
      database: 'business_runner',
      locale: 'C.UTF-8',
    });
    expect(new URL(url).port).not.toBe('5432');
    const guess = Object.assign(new URL(url), { password: 'guess' }).href;
    await expect(query(guess, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(modeOf(dataDir) & 0o067).toBe(0);
    expect(modeOf(join(dataDir, 'postgres-password'))).toBe(0o600);
    expect(modeOf(join(dataDir, 'postgres.log'))).toBe(0o600);
  });

  it('stops within 5 s when its process is killed', async () => {
    const child = await start();
    const pid = serverPid()!;
    await kill(child.process);
    await gone(pid);
  });

  it('survives the Ctrl-C of its process until that has drained', async () => {
    const child = await start();
    const running = query(child.url, 'select pg_sleep(0.3), 1 as finished');
    process.kill(-child.process.pid!, 'SIGINT');
    expect(await running).toMatchObject([{ finished: 1 }]);
    await stop(child);
  });

  onLinux('is taken over by the next start when process and guard are killed (Linux)', async () => {
    const before = await start();
    await query(before.url, "create table note as select 'kept' as text");
    const pid = serverPid()!;
    process.kill(guardOf(pid), 'SIGKILL');
    await kill(before.process);

    const after = await start();
    expect(serverPid()).toBe(pid);
    expect(after.url).toBe(before.url);
    expect(await query(after.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await kill(after.process);
    await gone(pid);
  });

  onLinux('stops with its process even when the guard is gone (Linux)', async () => {
    const child = await start();
    const pid = serverPid()!;
    process.kill(guardOf(pid), 'SIGKILL');
    await stop(child);
    expect(isGone(pid)).toBe(true);
  });

  onLinux('recovers what was committed when everything is killed (Linux)', async () => {
    const before = await start();
    await query(before.url, "create table note as select 'kept' as text");
    const pid = serverPid()!;
    const guard = guardOf(pid);
    // A busy session outlives its server for a moment.
    query(before.url, 'select count(*) from generate_series(1, 3000000)').catch(() => {});
    for (const victim of [guard, pid, before.process.pid!]) process.kill(victim, 'SIGKILL');

    const after = await start();
    expect(after.firstStart).toBe(false);
    expect(await query(after.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await stop(after);
  });

  onLinux('refuses a folder whose holder lost its server (Linux)', async () => {
    const holder = await start();
    process.kill(serverPid()!, 'SIGKILL');
    await expect(start()).rejects.toThrow('stop it first');
    await kill(holder.process);
    await stop(await start());
  });

  it('is one server for processes that start at once in an empty folder', async () => {
    const all = await Promise.all([start(), start(), start()]);
    expect(new Set(all.map(({ url }) => url)).size).toBe(1);
    expect(all.filter(({ firstStart }) => firstStart)).toHaveLength(1);
    await Promise.all(all.map(({ url }) => query(url, 'select 1')));
    const pid = serverPid()!;
    await Promise.all(all.map(stop));
    expect(isGone(pid)).toBe(true);
  });

  it.each([
    ['stops', stop],
    ['is killed', (child: Child) => kill(child.process)],
  ])('goes on for a joined process when the one that started it %s', async (_how, end) => {
    const owner = await start();
    const joiner = await start();
    const pid = serverPid()!;
    const client = new pg.Client({ connectionString: joiner.url });
    await client.connect();
    try {
      await end(owner);
      await client.query('select pg_sleep(0.3)');
      expect(serverPid()).toBe(pid);
    } finally {
      await client.end();
    }
    await kill(joiner.process);
    await gone(pid);
  });

  it('starts afresh after an initdb that was killed half way, and leaves no trace of it', async () => {
    const interrupted = spawnChild();
    await until('initdb is at work', () => draftFiles().includes('PG_VERSION'));
    await kill(interrupted);

    const child = await start();
    expect(child.firstStart).toBe(true);
    await query(child.url, 'select 1');
    expect(readdirSync(dataDir).filter((name) => /init|new/.test(name))).toEqual([]);
    await stop(child);
  });

  onLinux('keeps data and leaves no server wherever a start is killed (Linux)', async () => {
    const first = await start();
    await query(first.url, "create table note as select 'kept' as text");
    await stop(first);

    // Node needs some 100 ms to run the child, the start 50 to 100 ms: the kills fall on every part of both.
    for (let delayMs = 60; delayMs <= 260; delayMs += 10) {
      const victim = spawnChild();
      await setTimeout(delayMs);
      await kill(victim);
    }
    const last = await start();
    expect(await query(last.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    const pid = serverPid()!;
    await stop(last);
    expect(isGone(pid)).toBe(true);
    await until('no process works in the folder', () => processesIn(dataDir).length === 0);
  });

  asRoot('runs without privileges where its account can reach the folder (tests run as root)', async () => {
    await start();
    expect(accountOf(serverPid()!)).toEqual({ uid: NOBODY, overridesPermissions: false });
  });

  asRoot('runs under a home of mode 0700 (tests run as root)', async () => {
    chmodSync(home, 0o700);
    const first = await start();
    await query(first.url, "create table note as select 'kept' as text");
    expect(accountOf(serverPid()!)).toEqual({ uid: NOBODY, overridesPermissions: true });
    await stop(first);

    chmodSync(home, 0o755);
    const second = await start();
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    expect(accountOf(serverPid()!)).toEqual({ uid: NOBODY, overridesPermissions: false });
  });

  asRoot('runs programs that lie under a home of mode 0700 from a copy of its own (tests run as root)', async () => {
    const shipped = await serverPrograms();
    const hidden = join(home, 'native', 'bin');
    cpSync(dirname(dirname(shipped.postgres)), dirname(hidden), { recursive: true, verbatimSymlinks: true });
    cpSync(join(dirname(shipped.postgres), '..', '..', 'package.json'), join(home, 'package.json'));
    chmodSync(home, 0o700);

    const plain = [...AS_NOBODY, '--'];
    const programs = await runnablePrograms(
      { initdb: join(hidden, 'initdb'), postgres: join(hidden, 'postgres') },
      plain,
    );
    expect(programs.postgres.startsWith(home)).toBe(false);
    expect(await succeeds([...plain, programs.initdb, '-V'])).toBe(true);
    expect(await runnablePrograms(programs, plain)).toEqual(programs);
  });

  asNobody('runs as an ordinary user (tests run as root in a checkout that others can read)', async () => {
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY, NOBODY);
    const first = await start(AS_NOBODY);
    await query(first.url, "create table note as select 'kept' as text");
    const pid = serverPid()!;
    expect(accountOf(pid)).toEqual({ uid: NOBODY, overridesPermissions: false });
    await kill(first.process);
    await gone(pid);

    const second = await start(AS_NOBODY);
    expect(await query(second.url, 'select text from note')).toEqual([{ text: 'kept' }]);
    await stop(second);
  });

  interface Child {
    readonly process: ChildProcessWithoutNullStreams;
    readonly url: string;
    readonly firstStart: boolean;
  }

  function spawnChild(prefix: readonly string[] = []): ChildProcessWithoutNullStreams {
    const [program, ...args] = [...prefix, process.execPath, CHILD, dataDir];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(program, args, { env, detached: true });
    children.push(child);
    return child;
  }

  async function start(prefix?: readonly string[]): Promise<Child> {
    const child = spawnChild(prefix);
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint += chunk));
    for await (const line of createInterface(child.stdout)) return { process: child, ...JSON.parse(line) };
    throw new Error(`The child ended without a server: ${complaint}`);
  }

  async function stop(child: Child): Promise<void> {
    child.process.stdin.write('stop\n');
    const [code] = await once(child.process, 'exit');
    expect(code).toBe(0);
  }

  /** The pid of the folder's server, as the server wrote it. */
  function serverPid(): number | undefined {
    try {
      return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }

  function draftFiles(): string[] {
    try {
      const draft = readdirSync(dataDir).find((name) => name.startsWith('postgres.init-'))!;
      return readdirSync(join(dataDir, draft, 'data'));
    } catch {
      return [];
    }
  }
});

async function kill(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + STOP_LIMIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited ${STOP_LIMIT_MS} ms in vain until ${what}.`);
    await setTimeout(5);
  }
}

function gone(pid: number): Promise<void> {
  return until(`process ${pid} is gone`, () => isGone(pid));
}

/** A zombie that nobody reaps counts as gone. */
function isGone(pid: number): boolean {
  try {
    if (process.platform === 'linux') return statusOf(pid).get('State')!.startsWith('Z');
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

function guardOf(server: number): number {
  return Number(statusOf(server).get('PPid'));
}

function accountOf(pid: number): { uid: number; overridesPermissions: boolean } {
  const status = statusOf(pid);
  const capabilities = BigInt(`0x${status.get('CapEff')}`);
  return {
    uid: Number(status.get('Uid')!.split('\t')[0]),
    overridesPermissions: (capabilities & DAC_OVERRIDE) !== 0n,
  };
}

/** `/proc/<pid>/status` of a live process. */
function statusOf(pid: number): Map<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => line.split(':\t') as [string, string]));
}

function processesIn(folder: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
