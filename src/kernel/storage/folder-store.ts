import { randomUUID } from 'node:crypto';
import { mkdirSync, rmdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Config, ConfigError } from '../../config/index.ts';
import { requireKey } from './object-key.ts';
import {
  type ByteRange,
  LEFT_BEHIND_MS,
  type ListedObject,
  ObjectStore,
  type OpenedBytes,
  type StoredBytes,
  type UploadLimits,
} from './object-store.ts';
import { storeTrouble } from './store-trouble.ts';
import { dropRest, piecesOf, UploadMeasure } from './upload-measure.ts';

/**
 * Folder beside the objects, on the same file system, for files that are being written or removed. No key begins with a
 * dot.
 */
const INCOMING = '.incoming';
const MAX_MOVES = 5;
/** Errors of the folder's file system. Errors that a client causes in its upload have other codes. */
const TROUBLES = new Set([
  ...'ENOSPC EDQUOT EROFS EIO EACCES EPERM ENOENT ENOTDIR EEXIST ENXIO ENODEV ESTALE EHOSTDOWN ENOTCONN'.split(' '),
  ...'EMFILE ENFILE ENOMEM EBUSY ELOOP EFBIG'.split(' '),
]);

/**
 * Stores each object as a file whose path is its key. Writes it under a temporary name, flushes it, renames it and
 * flushes its folders, so that a file under a key is complete and survives a power loss. Several processes may share
 * the folder.
 */
@Injectable()
export class FolderStore extends ObjectStore implements OnModuleInit {
  private readonly logger = new Logger('ObjectStore');
  private readonly root: string;
  private readonly incoming: string;

  constructor(config: Config) {
    super();
    this.root = config.objectStoreDir;
    this.incoming = join(this.root, INCOMING);
  }

  async onModuleInit(): Promise<void> {
    try {
      this.prepare();
      await this.check();
    } catch (error) {
      throw this.explain(error);
    }
    await this.removeLeftBehind();
  }

  override prepare(): () => void {
    const first = mkdirSync(this.incoming, { recursive: true, mode: 0o700 });
    return () => {
      if (first !== undefined) removeEmpty(this.incoming, first);
    };
  }

  override explain(error: unknown): ConfigError {
    const code = codeOf((error as Error).cause ?? error);
    return new ConfigError('OBJECT_STORE_DIR', `${this.root} is not a writable folder (${code})`);
  }

  async put(key: string, source: Readable, limits: UploadLimits): Promise<StoredBytes> {
    const target = this.pathOf(key);
    const draft = join(this.incoming, randomUUID());
    try {
      const stored = await write(await this.newFile(draft), source, limits);
      await this.moveTo(target, draft);
      return stored;
    } catch (error) {
      dropRest(source);
      await rm(draft, { force: true }).catch(() => undefined);
      throw this.passing(error) ?? error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedBytes | undefined> {
    const file = await this.there(open(this.pathOf(key)));
    if (!file) return undefined;
    try {
      const stats = await file.stat();
      if (stats.isFile()) return { stream: file.createReadStream({ ...range }), sizeBytes: stats.size };
    } catch (error) {
      await file.close();
      throw this.passing(error) ?? error;
    }
    await file.close();
    return undefined;
  }

  async stat(key: string): Promise<{ sizeBytes: number } | undefined> {
    const stats = await this.there(stat(this.pathOf(key)));
    return stats?.isFile() ? { sizeBytes: stats.size } : undefined;
  }

  async delete(key: string): Promise<void> {
    await this.there(rm(this.pathOf(key)));
  }

  /**
   * Removes the folder by one rename, so that objects which are put meanwhile cannot interfere, and deletes it
   * afterwards.
   */
  async deletePrefix(prefix: string): Promise<void> {
    const path = this.pathOf(prefix);
    if (!(await this.there(stat(path)))?.isDirectory()) return;
    const aside = join(this.incoming, randomUUID());
    await this.there(this.makeIncoming());
    await this.there(rename(path, aside));
    await flush(dirname(path));
    await rm(aside, { recursive: true, force: true });
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const entries = await this.there(readdir(this.pathOf(prefix), { withFileTypes: true }));
    for (const entry of entries ?? []) {
      const key = `${prefix}/${entry.name}`;
      if (entry.isDirectory()) {
        yield* this.list(key);
        continue;
      }
      const stats = await unlessAbsent(stat(this.pathOf(key)));
      if (stats) yield { key, storedAt: stats.mtime };
    }
  }

  async check(): Promise<void> {
    const probe = join(this.incoming, randomUUID());
    try {
      await writeFile(probe, '.', { mode: 0o600 });
    } finally {
      await rm(probe, { force: true });
    }
  }

  private pathOf(key: string): string {
    requireKey(key);
    return join(this.root, key);
  }

  /** Retries, because a removal of the prefix may remove the new folders before the file is in them. */
  private async moveTo(target: string, draft: string): Promise<void> {
    for (let move = 1; ; move += 1) {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      try {
        await rename(draft, target);
        break;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || move === MAX_MOVES) throw error;
      }
    }
    // Flushes each folder, because another upload may have made one and not have flushed it yet.
    for (let folder = dirname(target); folder.length >= this.root.length; folder = dirname(folder)) await flush(folder);
  }

  /**
   * Opens a new file, and makes `.incoming` again if it is missing because an empty volume was mounted. Never makes the
   * root: while a volume is not mounted, files written in its place would be lost when it is back.
   */
  private async newFile(draft: string): Promise<FileHandle> {
    try {
      return await open(draft, 'wx', 0o600);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      await this.makeIncoming();
      return open(draft, 'wx', 0o600);
    }
  }

  private async makeIncoming(): Promise<void> {
    try {
      await mkdir(this.incoming, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }

  /** Returns undefined if nothing has that name but the store itself is there. */
  private async there<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      const found = await unlessAbsent(work);
      // With the dot, a file in place of the folder fails too.
      if (found === undefined) await stat(`${this.root}/.`);
      return found;
    } catch (error) {
      throw this.passing(error) ?? error;
    }
  }

  private passing(error: unknown): Error | undefined {
    return TROUBLES.has(codeOf(error)) ? storeTrouble(`in ${this.root} fails`, error) : undefined;
  }

  /** Removes what processes that died were writing or removing. */
  private async removeLeftBehind(): Promise<void> {
    for (const name of await readdir(this.incoming)) {
      const path = join(this.incoming, name);
      try {
        if (Date.now() - (await stat(path)).mtimeMs > LEFT_BEHIND_MS) await rm(path, { recursive: true, force: true });
      } catch (error) {
        // Another process that starts may have removed it.
        if (codeOf(error) !== 'ENOENT') this.logger.warn(`${path} cannot be removed (${codeOf(error)})`);
      }
    }
  }
}

/** Removes folders from `path` up to `last`; leaves one that something is in meanwhile, and those above it. */
function removeEmpty(path: string, last: string): void {
  try {
    rmdirSync(path);
  } catch {
    return;
  }
  if (path !== last) removeEmpty(dirname(path), last);
}

async function write(file: FileHandle, source: Readable, limits: UploadLimits): Promise<StoredBytes> {
  const measure = new UploadMeasure(limits);
  try {
    for await (const piece of piecesOf(source)) {
      measure.take(piece);
      await file.appendFile(piece);
    }
    const stored = measure.finish();
    await file.sync();
    return stored;
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder durable, if it still exists. */
async function flush(folder: string): Promise<void> {
  const handle = await unlessAbsent(open(folder));
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

/** Returns undefined if nothing has that name. */
async function unlessAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
