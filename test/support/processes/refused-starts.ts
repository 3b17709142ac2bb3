import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

interface Refusal {
  readonly code: number;
  readonly stderr: string;
}

/**
 * Starts of the built service that are expected to be refused, one after the other in one process: 0.1 s each instead of
 * the 2.5 s that a process of its own takes. What the exit code of a process is shows `ServiceProcess.refusal`.
 */
export function useRefusedStarts(): (env: Readonly<Record<string, string>>) => Promise<Refusal> {
  let child: ChildProcess | undefined;
  afterAll(() => void child?.kill('SIGKILL'));
  return async (env) => {
    child ??= starter();
    const answer = once(child, 'message') as Promise<[Refusal]>;
    child.send({ PORT: '0', ...env });
    return (await answer)[0];
  };
}

function starter(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'refused-starts-child.mjs'), {
    execArgv: [],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  // Where the run's teardown looks for secrets.
  child.stdout!.pipe(createWriteStream(join(process.env.TEST_FOLDER!, `${process.pid}-service.jsonl`), { flags: 'a' }));
  return child;
}
