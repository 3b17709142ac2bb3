import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_LIMIT_MS = 60_000;

/** A process of the built service, or of what a run of tests made of it, at a port of its own that it keeps over restarts. */
export class Replica {
  readonly baseUrl: string;
  private readonly env: Readonly<Record<string, string>>;
  private readonly logFile: string;
  private process: ChildProcess | undefined;

  constructor(port: number, env: Readonly<Record<string, string>>, logFile: string) {
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.env = { PORT: String(port), HOST: '127.0.0.1', ...env };
    this.logFile = logFile;
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    const log = openSync(this.logFile, 'a', 0o600);
    this.process = spawn(
      process.execPath,
      ['--import', './faults/api-preload.ts', 'scripts/run.mjs', process.env.SERVICE_PROGRAM ?? '../dist/src/main.js'],
      {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          ...this.env,
        },
        stdio: ['ignore', log, log, 'ipc'],
        detached: true,
      },
    );
    closeSync(log);
    const deadline = performance.now() + START_LIMIT_MS;
    while (!(await this.isReady())) {
      if (this.process.exitCode !== null || performance.now() > deadline)
        throw new Error(`${this.baseUrl} is not ready; see ${this.logFile}`);
      await wait(50);
    }
  }

  /** Stops it as an operator does; resolves with its exit code. */
  async stop(): Promise<number | null> {
    if (!this.process || this.process.exitCode !== null) return this.process?.exitCode ?? null;
    const exited = once(this.process, 'exit') as Promise<[number | null]>;
    this.process.kill('SIGTERM');
    return (await exited)[0];
  }

  kill(): void {
    this.process?.kill('SIGKILL');
  }

  private async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.baseUrl}/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.ok === true;
  }
}
