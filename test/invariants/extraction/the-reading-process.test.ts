import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Extraction } from '../../../src/kernel/extraction/index.ts';
import { commandOf, contentOf, descendantsOf } from '../../support/processes/descendants.ts';
import { until } from '../../support/until.ts';

const CHILD = join(import.meta.dirname, '../../support/processes/extraction-child.mjs');
const extraction = new Extraction();
afterAll(() => extraction.beforeApplicationShutdown());

/** The reader itself, or its guard. */
const isReading = (pid: number) => commandOf(pid).includes('extraction/child.js');
const isReader = (pid: number) => isReading(pid) && commandOf(pid).startsWith(process.execPath);
const isLeft = (pid: number) => commandOf(pid) !== '';
const readersOf = (pid: number) => descendantsOf(pid).filter(isReader);

/** A source of which a piece never comes. */
function endless(): Readable {
  const source = new Readable({ read: () => undefined });
  source.push('a');
  return source;
}

function extract(bytes: Readable, sizeBytes: number, signal = new AbortController().signal) {
  return extraction.extract({ bytes, sizeBytes, fileName: 'file', mediaType: 'text/plain' }, signal);
}

async function reading(of = process.pid): Promise<readonly number[]> {
  await until('the reader works', () => readersOf(of).length > 0);
  return descendantsOf(of).filter(isReading);
}

async function left(pids: readonly number[]): Promise<void> {
  await until('no process is left', () => !pids.some(isLeft));
}

describe('the process that reads a source', () => {
  it('has no environment, no files but the code, little time, and is the first to go where memory lacks', async () => {
    const stopping = new AbortController();
    const extracted = extract(endless(), 10, stopping.signal);
    extracted.catch(() => undefined);
    const pids = await reading();
    const pid = pids.find(isReader)!;
    expect(contentOf(`/proc/${pid}/environ`).replaceAll('\0', '')).not.toMatch(/PATH|HOME|TOKEN|DATABASE/);
    expect(commandOf(pid)).toMatch(/ --permission --allow-fs-read=\S+\/dist\/ --allow-fs-read=\S+\/node_modules\/ /);
    expect(contentOf(`/proc/${pid}/limits`)).toMatch(/Max cpu time +35 +35/);
    expect(contentOf(`/proc/${pid}/oom_score_adj`).trim()).toBe('1000');
    stopping.abort(new Error('enough'));
    await expect(extracted).rejects.toThrow('enough');
    await left(pids);
  });

  it('is one at a time, and gives its place to the next whatever became of it', async () => {
    const stopping = new AbortController();
    const first = extract(endless(), 10, stopping.signal);
    const others = ['one', 'two'].map((text) => extract(Readable.from([Buffer.from(text)]), 3));
    first.catch(() => undefined);
    await reading();
    expect(readersOf(process.pid)).toHaveLength(1);
    stopping.abort();
    expect((await Promise.all(others)).map(({ passages }) => passages)).toEqual([['one'], ['two']]);
  });

  it.each([
    [
      'the source fails',
      () =>
        extract(
          new Readable({
            read() {
              this.destroy(new Error('the store is gone'));
            },
          }),
          10,
        ),
      'the store is gone',
    ],
    ['fewer bytes arrive', () => extract(Readable.from([Buffer.from('abc')]), 10), 'others arrived'],
    ['more bytes arrive', () => extract(Readable.from([Buffer.from('abc')]), 2), 'others arrived'],
  ])('fails and leaves nothing where %s', async (_, attempt, message) => {
    await expect(attempt()).rejects.toThrow(message);
    expect(readersOf(process.pid)).toEqual([]);
  });

  it('ends with the service that stops', async () => {
    const stopped = new Extraction();
    const source = { bytes: endless(), sizeBytes: 10, fileName: 'file', mediaType: 'text/plain' };
    const extracted = stopped.extract(source, new AbortController().signal);
    extracted.catch(() => undefined);
    const pids = await reading();
    await stopped.beforeApplicationShutdown();
    await expect(extracted).rejects.toThrow('stops');
    expect(pids.filter(isLeft)).toEqual([]);
  });

  it('ends with the service that is killed while it works hard', async () => {
    const hard = Buffer.from('<i><b>'.repeat(900) + '</p>'.repeat(10_000_000));
    const service = spawn(process.execPath, [CHILD, String(hard.length), 'text/html'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    service.stdin.end(hard);
    await once(service.stdout, 'data');
    const pids = await reading(service.pid);
    service.kill('SIGKILL');
    await once(service, 'exit');
    expect(pids.length).toBeGreaterThan(1);
    await left(pids);
  });
});
