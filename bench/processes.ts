import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Whatever ends the bench, nothing is left running. */
const END_WITH_PARENT = fileURLToPath(new URL('../scripts/demo/end-with-parent.mjs', import.meta.url));
const MEMORY_PROBE = fileURLToPath(new URL('memory-probe.mjs', import.meta.url));
const START_LIMIT_MS = 60_000;

/** A server in a process of its own that says on a line of its log where it listens. */
export class ServerProcess {
  readonly baseUrl: string;
  readonly startMs: number;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, baseUrl: string, startMs: number) {
    this.child = child;
    this.baseUrl = baseUrl;
    this.startMs = startMs;
  }

  /** Starts a program of the repository and waits until it is ready; one that is `probed` can tell its memory. */
  static async start(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    { probed = false } = {},
  ): Promise<ServerProcess> {
    const startedAt = performance.now();
    const preloads = ['--import', END_WITH_PARENT, ...(probed ? ['--expose-gc', '--import', MEMORY_PROBE] : [])];
    const child = spawn(process.execPath, [...preloads, ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const exited = once(child, 'exit').then(([code]) => {
      throw new Error(`${args.at(-1)} ended with ${String(code)} before it was ready.`);
    });
    exited.catch(() => undefined);
    const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
    try {
      const baseUrl = await Promise.race([ready(child), exited]);
      return new ServerProcess(child, baseUrl, performance.now() - startedAt);
    } finally {
      clearTimeout(limit);
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Bytes in use after a garbage collection. */
  async memory(): Promise<NodeJS.MemoryUsage> {
    const answered = once(this.child, 'message') as Promise<[NodeJS.MemoryUsage]>;
    this.child.send('memory');
    return (await answered)[0];
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}

/** The address in the line that tells of being ready. Later lines are dropped unread, so that their cost is not measured too. */
function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface(child.stdout!).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const { msg, baseUrl } = JSON.parse(line) as { msg?: string; baseUrl?: string };
      if (msg !== 'ready' || !baseUrl) return;
      lines.close();
      child.stdout!.resume();
      resolve(baseUrl);
    });
  });
}

/** A process that works off jobs, one at a time, so that what makes the load shares no event loop with anything. */
export class JobProcess<Job extends object, Result> {
  private readonly child: ChildProcess;

  constructor(path: string) {
    this.child = fork(fileURLToPath(new URL(path, import.meta.url)), { cwd: ROOT, serialization: 'advanced' });
  }

  async run(job: Job): Promise<Result> {
    const ended = new AbortController();
    const { signal } = ended;
    const died = once(this.child, 'exit', { signal }).then(() => {
      throw new Error('The process that makes the load died.');
    });
    died.catch(() => undefined);
    const answered = once(this.child, 'message', { signal }) as Promise<[{ result?: Result; error?: string }]>;
    this.child.send(job);
    try {
      const [{ result, error }] = await Promise.race([answered, died]);
      if (error !== undefined) throw new Error(error);
      return result as Result;
    } finally {
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.disconnect();
    await once(this.child, 'exit');
  }
}
