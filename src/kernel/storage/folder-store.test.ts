import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Config } from '../../config/index.ts';
import { FolderStore } from './folder-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'folder-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let root: string;
let store: FolderStore;
beforeEach(async () => {
  root = join(folder, randomUUID(), 'objects');
  store = await start();
});

async function start(): Promise<FolderStore> {
  const started = new FolderStore({ objectStoreDir: root } as Config);
  await started.onModuleInit();
  return started;
}

const LIMIT = { maxBytes: 1_000_000 };
const put = (key: string, text: string, sha256?: string) =>
  store.put(key, Readable.from([Buffer.from(text)]), sha256 === undefined ? LIMIT : { ...LIMIT, sha256 });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const textOf = async (key: string, range?: { start: number; end: number }) => {
  const opened = await store.open(key, range);
  return opened && (await buffer(opened.stream)).toString();
};
/** Every file of the folder, those that are being written included. */
const files = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
async function keysUnder(prefix: string): Promise<string[]> {
  const keys = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

describe('put', () => {
  it('keeps what came under its key, and says size and digest', async () => {
    expect(await put('a/b', 'hello')).toEqual({ sizeBytes: 5, sha256: sha256('hello') });
    expect([await textOf('a/b'), await store.stat('a/b'), files()]).toEqual(['hello', { sizeBytes: 5 }, ['a/b']]);
  });

  it('keeps nothing as well as something', async () => {
    await put('empty', '');
    expect([await textOf('empty'), await store.stat('empty')]).toEqual(['', { sizeBytes: 0 }]);
  });

  it('takes the same key again, and leaves a reader what it has opened', async () => {
    await put('a', 'first');
    const before = await store.open('a');
    await put('a', 'second');
    expect([(await buffer(before!.stream)).toString(), await textOf('a'), files()]).toEqual(['first', 'second', ['a']]);
  });

  it('lets many write one key at once, and one of them wins', async () => {
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(1_000));
    await Promise.all(texts.map((text) => put('contested/key', text)));
    expect(texts).toContain(await textOf('contested/key'));
    expect(files()).toEqual(['contested/key']);
  });

  it('takes as much as the limit, and no byte more', async () => {
    const source = (bytes: number) => Readable.from([Buffer.alloc(60), Buffer.alloc(bytes - 60)]);
    await store.put('most', source(100), { maxBytes: 100 });
    await expect(store.put('more', source(101), { maxBytes: 100 })).rejects.toMatchObject({ row: { status: 413 } });
    expect(files()).toEqual(['most']);
  });

  it('refuses another digest and keeps what was there', async () => {
    await put('a', 'first', sha256('first'));
    await expect(put('a', 'second', sha256('first'))).rejects.toMatchObject({
      row: { status: 400 },
      issues: [{ path: 'sha256', code: 'digest_mismatch', message: expect.any(String) }],
    });
    expect([await textOf('a'), files()]).toEqual(['first', ['a']]);
  });

  it('leaves nothing of a source that breaks off', async () => {
    const failure = new Error('expected by the test');
    const source = Readable.from(
      (function* () {
        yield Buffer.from('half');
        throw failure;
      })(),
    );
    await expect(store.put('a', source, LIMIT)).rejects.toBe(failure);
    expect([files(), await textOf('a')]).toEqual([[], undefined]);
  });

  it('holds no more than a few pieces of what it is given', async () => {
    const piece = Buffer.alloc(10_000);
    let most = 0;
    const source = Readable.from(
      (function* () {
        for (let given = 0; given < 90; given += 1) {
          const [draft] = readdirSync(join(root, '.incoming'));
          const written = draft ? statSync(join(root, '.incoming', draft)).size : 0;
          most = Math.max(most, given * piece.length - written);
          yield piece;
        }
      })(),
      { highWaterMark: 2 },
    );
    await store.put('a', source, LIMIT);
    expect(most).toBeLessThanOrEqual(4 * piece.length);
  });

  it('reads and drops the rest of what it refuses', async () => {
    let given = 0;
    const source = Readable.from(
      (function* () {
        for (; given < 50; given += 1) yield Buffer.alloc(1_000);
      })(),
    );
    const ended = new Promise((resolve) => source.once('end', resolve));
    await expect(store.put('a', source, { maxBytes: 1_500 })).rejects.toMatchObject({ row: { status: 413 } });
    await ended;
    expect(given).toBe(50);
  });

  it('keeps files and folders to itself', async () => {
    await put('a/b', 'x');
    const modes = ['', 'a', 'a/b', '.incoming'].map((path) => (statSync(join(root, path)).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '700', '600', '700']);
  });
});

describe('open', () => {
  it('gives a range and the size of the whole', async () => {
    await put('a', '0123456789');
    expect(await textOf('a', { start: 2, end: 4 })).toBe('234');
    const opened = await store.open('a', { start: 9, end: 9 });
    expect([opened!.sizeBytes, (await buffer(opened!.stream)).toString()]).toEqual([10, '9']);
  });

  it('finds nothing where there is nothing, or only a folder, or a file on the way', async () => {
    await put('a/b', 'x');
    for (const key of ['c', 'a', 'a/b/c'])
      expect([await store.open(key), await store.stat(key)]).toEqual([undefined, undefined]);
  });
});

describe('removing', () => {
  it('takes one object, once or twice', async () => {
    await put('a/b', 'x');
    await put('a/c', 'y');
    await store.delete('a/b');
    await store.delete('a/b');
    expect(files()).toEqual(['a/c']);
  });

  it('takes all under a prefix, and not what only begins alike', async () => {
    for (const key of ['org/1/a', 'org/1/b/c', 'org/10/a', 'org/2']) await put(key, 'x');
    await store.deletePrefix('org/1');
    await store.deletePrefix('org/1');
    await store.deletePrefix('org/2');
    expect(files()).toEqual(['org/10/a', 'org/2']);
  });

  it('does not fail an upload that runs into it', async () => {
    const uploads = Array.from({ length: 200 }, (_, index) => put(`org/1/run-${index}/file`, 'x'));
    const removals = Array.from({ length: 20 }, () => store.deletePrefix('org/1'));
    await Promise.all([...uploads, ...removals]);
    await store.deletePrefix('org/1');
    expect(files()).toEqual([]);
  });
});

describe('list', () => {
  it('names what is under a prefix, and when it came', async () => {
    const before = Date.now() - 1_000;
    for (const key of ['marks/a', 'marks/b/c', 'other']) await put(key, 'x');
    expect(await keysUnder('marks')).toEqual(['marks/a', 'marks/b/c']);
    expect(await keysUnder('nothing')).toEqual([]);
    for await (const { storedAt } of store.list('marks')) expect(storedAt.getTime()).toBeGreaterThan(before);
  });
});

describe('a start', () => {
  it('removes what a process that died left half-written, and not what one may be writing', async () => {
    await put('a', 'x');
    const incoming = join(root, '.incoming');
    mkdirSync(join(incoming, 'removed'));
    for (const name of ['old', 'new', 'removed/file']) writeFileSync(join(incoming, name), 'half');
    const longAgo = new Date(Date.now() - 61 * 60 * 1000);
    for (const name of ['old', 'removed']) utimesSync(join(incoming, name), longAgo, longAgo);
    utimesSync(join(root, 'a'), longAgo, longAgo);
    await start();
    expect(files()).toEqual(['.incoming/new', 'a']);
  });

  it('is refused on a folder that cannot be, naming the variable', async () => {
    writeFileSync(join(folder, 'file'), '');
    root = join(folder, 'file', 'objects');
    await expect(start()).rejects.toThrow(/^OBJECT_STORE_DIR: .+ is no folder to write to \(ENOTDIR\)$/);
  });
});

describe('check', () => {
  it('says whether bytes can be stored', async () => {
    await store.check();
    expect(files()).toEqual([]);
    rmSync(root, { recursive: true });
    await expect(store.check()).rejects.toThrow();
  });
});

it.each(['', '..', 'a/../../b', '/etc/passwd', '.incoming/a', 'a//b'])('refuses the key %j everywhere', async (key) => {
  const refusal = /^Not a key of the object store/;
  await expect(put(key, 'x')).rejects.toThrow(refusal);
  await expect(store.open(key)).rejects.toThrow(refusal);
  await expect(store.stat(key)).rejects.toThrow(refusal);
  await expect(store.delete(key)).rejects.toThrow(refusal);
  await expect(store.deletePrefix(key)).rejects.toThrow(refusal);
  await expect(keysUnder(key)).rejects.toThrow(refusal);
});
