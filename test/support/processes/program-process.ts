import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A program as a process of its own, in the repository's folder, with nothing in its environment but what it is given. */
export class ProgramProcess {
  log = '';
  stderr = '';
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(program, args, {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.on('data', (chunk) => (this.log += String(chunk)));
    this.child.stderr!.on('data', (chunk) => (this.stderr += String(chunk)));
    this.child.once('error', (error) => (this.stderr += error.message));
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}
