import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { addressOf } from '../database/test-database.ts';
import { BOOTSTRAP_TOKEN, CAPABILITY_KEY, ENCRYPTION_KEY, objectStoreOf, SERVICE_TOKEN } from '../test-app.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_LIMIT_MS = 60_000;
const BUILT = '../dist/src/main.js';
const bundledOrBuilt = () => process.env.SERVICE_PROGRAM ?? BUILT;

interface Options {
  readonly env: Readonly<Record<string, string>>;
  /** A module that runs before the service does. */
  readonly preload?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Environment of a service on this database, with the tokens that the tests know. */
export function onDatabase(url: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    ...addressOf(url),
    OBJECT_STORE_DIR: objectStoreOf(url),
    OWNER_BOOTSTRAP_TOKEN: BOOTSTRAP_TOKEN,
    AGENT_SERVICE_TOKENS: SERVICE_TOKEN,
    CAPABILITY_KEYS: CAPABILITY_KEY,
    ENCRYPTION_KEYS: ENCRYPTION_KEY,
    HOST: '127.0.0.1',
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...env,
  };
}

/** The built service as an operator runs it: a process of its own, told everything by its environment. */
export class ServiceProcess {
  private static readonly alive = new Set<ServiceProcess>();

  /** Known once the service is ready. */
  baseUrl = '';
  startMs = 0;
  stderr = '';
  log = '';
  readonly exited: Promise<Exit>;
  private readonly ready: Promise<void>;
  private readonly child: ChildProcess;

  private constructor({ env, preload }: Options) {
    // A preload changes modules of the build, of which a bundle has its own.
    const program = preload ? ['--import', preload, 'scripts/run.mjs', BUILT] : ['scripts/run.mjs', bundledOrBuilt()];
    this.child = spawn(process.execPath, program, {
      cwd: ROOT,
      // What one start has compiled, the next ones need not.
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ServiceProcess.alive.add(this);
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        ServiceProcess.alive.delete(this);
        resolve({ code, signal });
      });
    });
    this.child.stderr!.on('data', (chunk) => (this.stderr += String(chunk)));
    this.ready = this.untilReady();
  }

  /** Starts the service and does not wait for it. */
  static launch(options: Options): ServiceProcess {
    return new ServiceProcess(options);
  }

  /** Starts the service and waits until it says that it is ready. */
  static async start(options: Options): Promise<ServiceProcess> {
    const service = ServiceProcess.launch(options);
    const startedAt = performance.now();
    const limit = setTimeout(() => void service.kill(), START_LIMIT_MS);
    try {
      await Promise.race([service.ready, service.exited]);
    } finally {
      clearTimeout(limit);
    }
    if (!service.baseUrl) throw new Error(`The service did not start: ${service.stderr}`);
    service.startMs = Math.round(performance.now() - startedAt);
    return service;
  }

  /** Runs a service that is expected to refuse its start, to its end. */
  static async refusal(options: Options): Promise<Exit & { readonly stderr: string }> {
    const service = ServiceProcess.launch(options);
    return { ...(await service.exited), stderr: service.stderr };
  }

  /** Ends what a failed test left behind. */
  static async killAll(): Promise<void> {
    await Promise.all([...ServiceProcess.alive].map((service) => service.kill()));
  }

  /** Resident memory at its highest so far. */
  peakRssBytes(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) * 1024;
  }

  /** Whether a signal has stopped it, so that nothing of it goes on. */
  isStopped(): boolean {
    const [, state] = /\) (\S)/.exec(readFileSync(`/proc/${this.child.pid}/stat`, 'utf8'))!;
    return state === 'T';
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** A call to the service; rejects when it dies over it. */
  async call(method: string, path: string, token: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }

  /** Resolves when the log says `ready`; the whole log goes where the run's teardown looks for secrets. */
  private untilReady(): Promise<void> {
    const log = join(process.env.TEST_FOLDER!, `${process.pid}-service.jsonl`);
    return new Promise((resolve) => {
      createInterface(this.child.stdout!).on('line', (line) => {
        appendFileSync(log, `${line}\n`);
        this.log += `${line}\n`;
        if (!line.startsWith('{')) return;
        const { msg, baseUrl } = JSON.parse(line) as { msg?: string; baseUrl?: string };
        if (msg !== 'ready' || !baseUrl) return;
        this.baseUrl = baseUrl;
        resolve();
      });
    });
  }
}
