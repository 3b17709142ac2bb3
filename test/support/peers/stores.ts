import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../src/config/index.ts';
import { Clock } from '../../../src/kernel/clock/index.ts';
import { FolderStore } from '../../../src/kernel/storage/folder-store.ts';
import type { ObjectStore } from '../../../src/kernel/storage/index.ts';
import { S3Store } from '../../../src/kernel/storage/s3-store.ts';
import type { S3Peer } from './s3-peer.ts';

/** An empty store, and a look behind it. */
export interface StorePlace {
  readonly store: ObjectStore;
  /** Whatever lies there: keys of objects, and what is half-written, in angle brackets. */
  things(): Promise<string[]>;
  /** Bytes that are out of this process, of all uploads so far. */
  writtenBytes(): Promise<number>;
  /** Takes away what the store keeps things in. */
  ruin(): Promise<void>;
}

const PREFIX = 'some/prefix';
/** Most that an upload holds at a time, besides single pieces. */
export const HELD_BYTES = { folder: 0, s3: 5 * 1024 * 1024 };

export async function folderPlace(): Promise<StorePlace> {
  const root = mkdtempSync(join(process.env.TEST_FOLDER!, 'folder-store-'));
  const files = () =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const store = new FolderStore({ objectStoreDir: root } as Config);
  await store.onModuleInit();
  return {
    store,
    things: async () =>
      files()
        .map((name) => (name.startsWith('.incoming') ? '<draft>' : name))
        .sort(),
    writtenBytes: async () => files().reduce((sum, name) => sum + statSync(join(root, name)).size, 0),
    ruin: async () => rmSync(root, { recursive: true }),
  };
}

export async function s3Place(peer: S3Peer): Promise<StorePlace> {
  const config = await peer.bucket(PREFIX);
  const before = await peer.takenBytes();
  const store = new S3Store(config, new Clock());
  await store.onModuleInit();
  return {
    store,
    things: async () => {
      const [keys, uploads] = [await peer.keys(config.bucket), await peer.uploads(config.bucket)];
      return [...keys.map((key) => key.slice(PREFIX.length + 1)), ...uploads.map(() => '<draft>')].sort();
    },
    writtenBytes: async () => (await peer.takenBytes()) - before,
    ruin: () => peer.removeBucket(config.bucket),
  };
}
