import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const END_WITH_PARENT = fileURLToPath(new URL('end-with-parent.mjs', import.meta.url));
const AFTER_DEATH_MS = 200;
const STOP_LIMIT_MS = 12_000;
/** A child that dies this often without living longer than that has a problem that a restart does not solve. */
const MOST_QUICK_DEATHS = 5;
const QUICK_MS = 2_000;

interface Program {
  readonly name: string;
  /** What Node runs, from the repository. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Gets all output of the child. */
  readonly logFile: string;
  readonly onStart: (pid: number, starts: number) => void;
}

/** A child process that is started again when it dies, until it is stopped. */
export class Supervised {
  /** Rejects when the child cannot be kept alive. */
  readonly failed: Promise<never>;
  private child!: ChildProcess;
  private exited!: Promise<void>;
  private stopping = false;
  private starts = 0;
  private quickDeaths = 0;
  private giveUp!: (error: Error) => void;
  private readonly program: Program;

  constructor(program: Program) {
    this.program = program;
    this.failed = new Promise((_, reject) => (this.giveUp = reject));
    this.failed.catch(() => {});
    this.start();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.child.kill('SIGTERM');
    const limit = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.exited;
    clearTimeout(limit);
  }

  private start(): void {
    const { args, env, logFile, onStart } = this.program;
    // The first start prints the tokens.
    const log = openSync(logFile, 'a', 0o600);
    const startedAt = performance.now();
    this.child = spawn(process.execPath, ['--import', END_WITH_PARENT, 'scripts/run.mjs', ...args], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
      },
      stdio: ['ignore', log, log, 'ipc'],
      // Detached, so that a Ctrl-C on the terminal reaches only the demo, which stops the children in order.
      detached: true,
    });
    this.starts += 1;
    onStart(this.child.pid!, this.starts);
    this.exited = new Promise((resolve) => {
      this.child.once('exit', () => {
        resolve();
        void this.afterDeath(performance.now() - startedAt);
      });
    });
  }

  private async afterDeath(livedMs: number): Promise<void> {
    if (this.stopping) return;
    this.quickDeaths = livedMs < QUICK_MS ? this.quickDeaths + 1 : 0;
    const { name, logFile } = this.program;
    if (this.quickDeaths >= MOST_QUICK_DEATHS) {
      this.giveUp(new Error(`The ${name} died ${MOST_QUICK_DEATHS} times in a row; see ${logFile}`));
      return;
    }
    await wait(AFTER_DEATH_MS);
    if (!this.stopping) this.start();
  }
}
