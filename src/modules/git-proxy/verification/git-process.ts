import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Of one process: of the processor, of memory and of time. */
const CPU_SECONDS = 20;
const MEMORY_KB = 768 * 1_024;
const WHOLE_MS = 60_000;
/** Of what it says of errors, which nobody but this code reads. */
const MOST_ERROR_BYTES = 64 * 1_024;

const LIMITED = `
  ulimit -c 0
  ulimit -t ${CPU_SECONDS}
  ulimit -v ${MEMORY_KB}
  exec nice -n 5 git "$@"`;

export interface GitOptions {
  /** The repository; git looks nowhere else. */
  readonly folder: string;
  /** More is an error. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Whether it read its input to the end. */
  readonly tookAll: boolean;
}

/** The process used up what it may use, or its caller gave up. */
export class GitStopped extends Error {
  constructor(readonly why: 'time' | 'output' | 'aborted') {
    super(`git was stopped: ${why}.`);
    this.name = 'GitStopped';
  }
}

/**
 * One run of git: without settings of the machine, hooks, credentials and protocols, and within limits of its own. Its
 * input is written as it comes and waits where git does.
 */
export class GitProcess {
  private readonly child;
  private readonly finished: Promise<GitResult>;
  private readonly inputClosed: Promise<void>;
  private stopped: GitStopped | undefined;
  private hasLeftInput = false;

  constructor(args: readonly string[], { folder, maxBytes = 1_024 * 1_024, signal, env = {} }: GitOptions) {
    this.child = spawn('/bin/sh', ['-c', LIMITED, 'git', ...args], {
      cwd: folder,
      env: { ...environment(folder), ...env },
      // A group of its own, so that what it starts ends with it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => this.stop('time'), WHOLE_MS);
    const abort = () => this.stop('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    this.finished = this.result(maxBytes).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
    this.finished.catch(() => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.inputClosed = promise;
    this.input.on('error', () => (this.hasLeftInput = true)).on('close', resolve);
  }

  /** Writes input; resolves when there is room for more, or git takes no more. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.input.destroyed) {
      this.hasLeftInput = true;
      return;
    }
    if (this.input.write(bytes)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.input.once('drain', resolve);
    await Promise.race([promise, this.inputClosed]);
    this.input.off('drain', resolve);
  }

  /** Ends the input and waits. Throws `GitStopped`. */
  async end(): Promise<GitResult> {
    this.input.end();
    return this.finished;
  }

  stop(why: GitStopped['why'] = 'aborted'): void {
    this.stopped ??= new GitStopped(why);
    const { pid } = this.child;
    if (pid === undefined || this.child.exitCode !== null) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }

  private get input(): Writable {
    return this.child.stdin;
  }

  private async result(maxBytes: number): Promise<GitResult> {
    const ended = once(this.child, 'close') as Promise<[number | null]>;
    const [stdout, stderr, [status]] = await Promise.all([
      this.read(this.child.stdout, maxBytes, true),
      this.read(this.child.stderr, MOST_ERROR_BYTES, false),
      ended,
    ]);
    if (this.stopped) throw this.stopped;
    return { status: status ?? 128, stdout, stderr: stderr.toString(), tookAll: !this.hasLeftInput };
  }

  private async read(stream: Readable, maxBytes: number, isBounded: boolean): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else if (isBounded) this.stop('output');
    }
    return Buffer.concat(pieces);
  }
}

/** Runs git to its end with all of its input at hand. */
export async function git(args: readonly string[], options: GitOptions, input?: Uint8Array): Promise<GitResult> {
  const running = new GitProcess(args, options);
  if (input) await running.write(input);
  return running.end();
}

function environment(folder: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: folder,
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}
