import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Config } from '../../config/index.ts';
import { FolderStore } from './folder-store.ts';

// What every store promises stands in `object-store.test.ts`.

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
