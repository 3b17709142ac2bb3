import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
interface Program {
  readonly name: string;
  /** What Node runs, from the repository, in the `life`th life. */
  readonly start: (life: number) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** Gets all output of the process. */
  readonly logFile: string;
  readonly restartAfterMs: () => number;
}

/** A process that is started again whenever it ends, and may be killed or paused at any moment. */
export class Child {
  readonly name: string;
  /** How often it ended at work without being killed. A start that a recovering database refuses does not count. */
  ownEnds = 0;
  private readonly program: Program;
  private process!: ChildProcess;
  private exited!: Promise<void>;
  private alive = false;
  private atWork = false;
  private paused = false;
  private killed = false;
  private stopping = false;
  private lives = 0;

  constructor(program: Program) {
    this.program = program;
    this.name = program.name;
    this.start();
  }

  /** Kills it; false if it is dead at the moment. */
  kill(): boolean {
    if (!this.alive || this.killed) return false;
    this.killed = true;
    return this.process.kill('SIGKILL');
  }

  /** Freezes it; false if it is dead or frozen at the moment. */
  pause(forMs: number): boolean {
    if (!this.alive || this.killed || this.paused) return false;
    const { process } = this;
    this.paused = process.kill('SIGSTOP');
    setTimeout(() => {
      process.kill('SIGCONT');
      if (process === this.process) this.paused = false;
    }, forMs);
    return this.paused;
  }

  tell(message: object): void {
    if (this.alive && this.process.connected) this.process.send(message, () => {});
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.kill();
    await this.exited;
  }

  private start(): void {
    this.lives += 1;
    const { args, env } = this.program.start(this.lives);
    const log = openSync(this.program.logFile, 'a', 0o600);
    this.process = spawn(process.execPath, args, {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
      },
      stdio: ['ignore', log, log, 'ipc'],
      // Detached, so that a Ctrl-C on the terminal reaches only the fault run.
      detached: true,
    });
    closeSync(log);
    [this.alive, this.atWork, this.killed, this.paused] = [true, false, false, false];
    this.process.once('message', () => (this.atWork = true));
    this.exited = new Promise((resolve) => {
      this.process.once('exit', () => {
        this.alive = false;
        if (this.atWork && !this.killed) this.ownEnds += 1;
        resolve();
        void this.startAgain();
      });
    });
  }

  private async startAgain(): Promise<void> {
    await wait(this.program.restartAfterMs());
    if (!this.stopping) this.start();
  }
}
