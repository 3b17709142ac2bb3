import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';

/** Of the process. Time counts from when it has all bytes of the source. */
const READ_MS = 30_000;
const CPU_SECONDS = 35;
const HEAP_MB = 256;
const RESIDENT_BYTES = 512 * 1_024 * 1_024;
const LOOK_MS = 50;
const ANSWER_BYTES = 4 * 1_024 * 1_024;

/**
 * The guard: starts the reader, tells its pid on the control socket, waits until that is closed by us, or by the kernel
 * when we die, and then kills the reader, whatever it does. It stays the reader's parent, so that no process is left for
 * the first one of a container to bury. The reader may use no more than its time of the processor even without it, leaves no
 * core, and is the first to go where the machine lacks memory.
 */
const GUARD = `
  trap "" PIPE HUP INT TERM
  exec 4<&0
  (
    ulimit -c 0
    ulimit -t ${CPU_SECONDS}
    { echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
    exec "$@" 3>&-
  ) <&4 4<&- &
  reader=$!
  exec 0<&- 1>&- 4<&-
  echo "$reader" >&3
  read -r _ <&3
  kill -9 "$reader"
  wait "$reader"`;

/** The folder of the build, and the packages beside it: all that the reader may see of the file system. */
const BUILD = join(import.meta.dirname, '../../..');
const PACKAGES = join(BUILD, '../node_modules');

const COMMAND = [
  process.execPath,
  '--permission',
  `--allow-fs-read=${join(BUILD, '/')}`,
  `--allow-fs-read=${join(PACKAGES, '/')}`,
  `--max-old-space-size=${HEAP_MB}`,
  '--disallow-code-generation-from-strings',
  '--no-addons',
  join(import.meta.dirname, 'child.js'),
];

/** Of the guard, which ends as the reader did: killed, or ended by itself beyond a limit of its own. */
const LIMIT_STATUSES = new Set([13, 132, 133, 134, 135, 136, 137, 139, 152, 158]);

export type Limit = 'time' | 'memory' | 'answer' | 'own';
export type ReaderAnswer = { readonly json: string } | { readonly exceeded: Limit };

/** One process that reads one source and ends. */
export class ReadingProcess {
  private readonly guard: ChildProcess;
  private readonly ended: Promise<number>;
  private readonly control: Duplex;
  private readonly stdin: Writable;
  private readonly stdout: Readable;
  private readonly look: NodeJS.Timeout;
  private pid: number | undefined;
  private exceeded: Limit | undefined;
  private isKilled = false;

  constructor() {
    // Detached, so that the Ctrl-C of a terminal does not reach it before our own end.
    this.guard = spawn('/bin/sh', ['-c', GUARD, 'guard', ...COMMAND], {
      cwd: BUILD,
      env: {},
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    this.ended = once(this.guard, 'exit').then(([status]) => Number(status ?? 1));
    this.ended.catch(() => undefined);
    const [stdin, stdout, , control] = this.guard.stdio as unknown as [Writable, Readable, null, Duplex];
    [this.stdin, this.stdout, this.control] = [stdin, stdout, control];
    // Each of them fails when the reader is killed, which its answer tells.
    for (const stream of [stdin, stdout, control]) stream.on('error', () => undefined);
    control.once('data', (line: Buffer) => this.started(Number(line.toString())));
    this.look = setInterval(() => this.watchMemory(), LOOK_MS);
  }

  /** Sends the source and returns the answer. Fails if the source does, or if the reader could not be started. */
  async read(mediaType: string, source: Readable): Promise<ReaderAnswer> {
    const answer = this.answer();
    await this.send(mediaType, source);
    const timer = setTimeout(() => this.exceed('time'), READ_MS);
    const json = await answer.finally(() => clearTimeout(timer));
    this.control.destroy();
    const status = await this.ended;
    if (this.exceeded !== undefined) return { exceeded: this.exceeded };
    if (status === 0) return { json };
    if (LIMIT_STATUSES.has(status)) return { exceeded: 'own' };
    throw new Error(`The process that reads sources failed with status ${status}.`);
  }

  /** Kills the reader, if it lives, and waits until nothing of it is left. */
  async end(): Promise<void> {
    clearInterval(this.look);
    this.kill();
    await this.ended;
  }

  private async answer(): Promise<string> {
    const pieces: Buffer[] = [];
    let size = 0;
    try {
      for await (const piece of this.stdout as AsyncIterable<Buffer>) {
        size += piece.length;
        if (size > ANSWER_BYTES) this.exceed('answer');
        else pieces.push(piece);
      }
    } catch {
      // Its status tells why it ended.
    }
    return Buffer.concat(pieces).toString();
  }

  private async send(mediaType: string, source: Readable): Promise<void> {
    const closed = once(this.stdin, 'close');
    this.stdin.write(`${JSON.stringify({ mediaType })}\n`);
    for await (const piece of source as AsyncIterable<Buffer>) {
      if (this.stdin.destroyed) return;
      if (!this.stdin.write(piece)) await Promise.race([once(this.stdin, 'drain'), closed]);
    }
    this.stdin.end();
  }

  private started(pid: number): void {
    this.pid = pid;
    if (this.isKilled) this.kill();
    else this.yieldToService(pid);
  }

  /** Other work of the machine goes before it. */
  private yieldToService(pid: number): void {
    try {
      setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has ended.
    }
  }

  private watchMemory(): void {
    if (this.pid !== undefined && residentBytes(this.pid) > RESIDENT_BYTES) this.exceed('memory');
  }

  private exceed(limit: Limit): void {
    this.exceeded ??= limit;
    this.kill();
  }

  private kill(): void {
    this.isKilled = true;
    // The guard buries the reader only when the control socket is closed, so that the pid is still the reader's.
    if (this.pid !== undefined && !this.control.destroyed) kill(this.pid);
    this.control.destroy();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** 0 where the system does not tell: only Linux has the file. */
function residentBytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
