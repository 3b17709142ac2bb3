import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import type { Exit } from './service-process.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** In the environment of npm and of all that it starts. */
const MARK = 'NPM_PROCESS';
/** A look at all processes of the machine takes several milliseconds. */
const LOOK_AT_ALL_MS = 100;

interface Options {
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The package; the repository by default. */
  readonly cwd?: string;
  /** Whether npm runs on a terminal of its own, which its SIGKILL closes. */
  readonly onTerminal?: boolean;
  /** What an embedded server's processes, whose environment is their own, have on their command line. */
  readonly folder: string;
}

/** A script of the package as a user runs it: npm, in a session and process group of its own as on a terminal. */
export class NpmProcess {
  private static readonly started = new Set<NpmProcess>();

  log = '';
  readonly exited: Promise<Exit>;
  /** When nobody writes to its output any more. */
  private readonly closed: Promise<void>;
  private readonly child: ChildProcess;
  private readonly mark = `${MARK}=${randomUUID()}`;
  private readonly folder: string;

  constructor(script: string, { env, args = [], cwd = ROOT, onTerminal = false, folder }: Options) {
    this.folder = folder;
    const [name, value] = this.mark.split('=') as [string, string];
    const command = ['npm', 'run', '--silent', script, '--', ...args];
    const [program, ...rest] = onTerminal ? ['script', '-qefc', command.join(' '), '/dev/null'] : command;
    this.child = spawn(program!, rest, {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        // What one start has compiled, the next ones need not.
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
        [name]: value,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    NpmProcess.started.add(this);
    for (const output of [this.child.stdout!, this.child.stderr!])
      output.on('data', (chunk) => (this.log += String(chunk)));
    this.closed = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.exited = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve({ code, signal })));
  }

  /** Ends what a failed test left behind. */
  static async killAll(): Promise<void> {
    for (const each of NpmProcess.started) {
      for (const pid of each.processes()) signalIfAlive(pid, 'SIGKILL');
      await each.gone(10_000);
    }
    NpmProcess.started.clear();
  }

  /** Signals npm alone, as a supervisor does. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Signals npm and all that runs in its group, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.child.pid!, signal);
  }

  /** The child of npm. */
  get script(): number | undefined {
    return this.processes().find((pid) => parentOf(pid) === this.child.pid);
  }

  says(text: string, limitMs = 20_000): Promise<void> {
    return until(`npm's script says ${text}`, () => this.log.includes(text), limitMs).catch((error: Error) => {
      throw new Error(`${error.message} It said: ${this.log}`);
    });
  }

  /** npm and all that it started which are alive, also those whose parent has gone. */
  processes(): number[] {
    const pids = readdirSync('/proc').map(Number).filter(Boolean);
    return pids.filter(
      (pid) => read(pid, 'environ').split('\0').includes(this.mark) || read(pid, 'cmdline').includes(this.folder),
    );
  }

  /** Waits until nothing is left, zombies aside. */
  async gone(limitMs: number): Promise<void> {
    const nothingLeft = () => this.processes().length === 0;
    await until('nothing of npm is left', nothingLeft, limitMs, LOOK_AT_ALL_MS).catch((error: Error) => {
      const left = this.processes().map((pid) => `${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ')}`);
      throw new Error(`${error.message} Left: ${left.join('; ')}. It said: ${this.log}`);
    });
    await this.closed;
  }
}

function parentOf(pid: number): number {
  const stat = read(pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Empty for a zombie, and for a process that has gone. */
function read(pid: number, file: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
