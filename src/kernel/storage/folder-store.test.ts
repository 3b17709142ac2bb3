import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Config } from '../../config/index.ts';
import { FolderStore } from './folder-store.ts';

// What every store promises stands in `object-store.test.ts`.

Logger.overrideLogger(false);

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

const put = (key: string, text: string) => store.put(key, Readable.from([Buffer.from(text)]), { maxBytes: 1_000 });
/** Every file of the folder, those that are being written included. */
const files = () =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

describe('put', () => {
  it('keeps an object as the file that its key names', async () => {
    await put('a/b', 'hello');
    expect(files()).toEqual(['a/b']);
  });

  it('keeps files and folders to itself', async () => {
    await put('a/b', 'x');
    const modes = ['', 'a', 'a/b', '.incoming'].map((path) => (statSync(join(root, path)).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '700', '600', '700']);
  });
});

describe('a folder that is away', () => {
  const unavailable = { row: { status: 503 }, headers: { 'Retry-After': expect.any(String) } };
  const calls = () => [
    () => put('a/c', 'x'),
    () => store.open('a/b'),
    () => store.stat('a/b'),
    () => store.delete('a/b'),
    () => store.deletePrefix('a'),
    () => store.list('a').next(),
  ];

  it.each([
    ['with nothing in its place', () => undefined],
    ['with a file in its place', () => writeFileSync(root, '')],
  ])(
    'is 503 and no sign that anything is absent, %s; it is made by nobody, and used again when it is back',
    async (_what, replace) => {
      await put('a/b', 'hello');
      renameSync(root, `${root}-away`);
      replace();
      for (const call of calls()) await expect(call()).rejects.toMatchObject(unavailable);
      expect(readdirSync(join(root, '..'))).toEqual(existsSync(root) ? ['objects', 'objects-away'] : ['objects-away']);
      rmSync(root, { force: true });
      renameSync(`${root}-away`, root);
      await put('a/c', 'x');
      expect(files()).toEqual(['a/b', 'a/c']);
    },
  );

  it('may come back empty', async () => {
    await put('a/b', 'hello');
    rmSync(root, { recursive: true });
    mkdirSync(root);
    expect(await store.open('a/b')).toBeUndefined();
    await Promise.all([put('a/c', 'x'), put('a/d', 'x')]);
    rmSync(join(root, '.incoming'), { recursive: true });
    await store.deletePrefix('a');
    expect(files()).toEqual([]);
  });

  it('says the same of a file that it may not read or write', async () => {
    rmSync(join(root, '.incoming'), { recursive: true });
    writeFileSync(join(root, '.incoming'), '');
    await expect(put('a/b', 'x')).rejects.toMatchObject(unavailable);
    expect(files()).toEqual(['.incoming']);
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
    await expect(start()).rejects.toThrow(/^OBJECT_STORE_DIR: .+ is not a writable folder \(ENOTDIR\)$/);
  });
});
