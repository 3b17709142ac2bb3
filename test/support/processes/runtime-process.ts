import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SERVICE_TOKEN } from '../test-app.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The reference runtime as a process of its own. */
export class RuntimeProcess {
  log = '';
  stderr = '';
  readonly exited: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(baseUrl: string, workspaceDir: string, paceMs = 0, token = SERVICE_TOKEN) {
    this.child = spawn(process.execPath, ['examples/agent-runtime/src/main.ts'], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        BUSINESS_RUNNER_URL: baseUrl,
        AGENT_SERVICE_TOKEN: token,
        WORKER_ID: 'reference',
        WORKSPACE_DIR: workspaceDir,
        PACE_MS: String(paceMs),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.on('data', (chunk) => (this.log += String(chunk)));
    this.child.stderr!.on('data', (chunk) => (this.stderr += String(chunk)));
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}
