import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import pg from 'pg';
import { until } from '../until.ts';

export const CHILD = fileURLToPath(new URL('embedded-server-child.ts', import.meta.url));
const DAC_OVERRIDE = 1n << 1n;
/** The service's promise is 5 s; the rest is the test's own polling. */
const STOP_LIMIT_MS = 5_000;

/** A process that has started or joined the folder's server. */
export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  readonly url: string;
  readonly firstStart: boolean;
}

/** A temporary home with one data folder, the processes that run its server, and a look at them from outside. */
export class EmbeddedServerHarness {
  readonly home = mkdtempSync(join(tmpdir(), 'embedded-server-'));
  readonly dataDir = join(this.home, 'data');
  private readonly children: ChildProcessWithoutNullStreams[] = [];

  constructor() {
    chmodSync(this.home, 0o755);
  }

  /** Ends what the test left running and removes the home. */
  async end(): Promise<void> {
    const pid = this.serverPid();
    for (const child of this.children) await this.kill(child);
    if (pid) await this.gone(pid).catch(() => process.kill(pid, 'SIGKILL'));
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  /** Gives the folder what a first start leaves, which takes seconds, by copying that of another folder. */
  becomeUsed({ dataDir }: EmbeddedServerHarness): void {
    const { status } = spawnSync('cp', ['-a', dataDir, this.dataDir]);
    expect(status).toBe(0);
  }

  /** A process on its way to a server, in a process group of its own; `prefix` is the command that runs it. */
  spawnChild(prefix: readonly string[] = []): ChildProcessWithoutNullStreams {
    const [program, ...args] = [...prefix, process.execPath, CHILD, this.dataDir];
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(program, args, { env, detached: true });
    this.children.push(child);
    return child;
  }

  /** Resolves when the child has its server; rejects with its complaint when it ends without one. */
  async start(prefix?: readonly string[]): Promise<Child> {
    const child = this.spawnChild(prefix);
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint += chunk));
    for await (const line of createInterface(child.stdout)) return { process: child, ...JSON.parse(line) };
    throw new Error(`The child ended without a server: ${complaint}`);
  }

  /** Has the child stop as the service does, which must succeed. */
  async stop(child: Child): Promise<void> {
    child.process.stdin.write('stop\n');
    const [code] = await once(child.process, 'exit');
    expect(code).toBe(0);
  }

  async kill(child: ChildProcessWithoutNullStreams): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** The pid of the folder's server, as the server wrote it. */
  serverPid(): number | undefined {
    try {
      return Number(readFileSync(join(this.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    } catch {
      return undefined;
    }
  }

  /** Waits as long as a server may take to stop. */
  gone(pid: number): Promise<void> {
    return until(`process ${pid} is gone`, () => this.isGone(pid), STOP_LIMIT_MS);
  }

  /** A zombie that nobody reaps counts as gone. */
  isGone(pid: number): boolean {
    try {
      if (process.platform === 'linux') return statusOf(pid).get('State')!.startsWith('Z');
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  }

  /** The parent of a server, which watches over it. */
  guardOf(server: number): number {
    return Number(statusOf(server).get('PPid'));
  }

  /** Whom a process runs as, and whether it may pass over the permissions of files. */
  accountOf(pid: number): { uid: number; overridesPermissions: boolean } {
    const status = statusOf(pid);
    const capabilities = BigInt(`0x${status.get('CapEff')}`);
    return {
      uid: Number(status.get('Uid')!.split('\t')[0]),
      overridesPermissions: (capabilities & DAC_OVERRIDE) !== 0n,
    };
  }

  /** The processes whose command line names the data folder. */
  processesInFolder(): number[] {
    const pids = readdirSync('/proc').map(Number).filter(Boolean);
    return pids.filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.dataDir);
      } catch {
        return false;
      }
    });
  }
}

/** The rows of one statement, over a connection of its own. */
export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** `/proc/<pid>/status` of a live process. */
function statusOf(pid: number): Map<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
  return new Map(lines.map((line) => line.split(':\t') as [string, string]));
}
