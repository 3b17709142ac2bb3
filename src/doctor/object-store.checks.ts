import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import { type Config, ConfigError } from '../config/index.ts';
import { Clock } from '../kernel/clock/index.ts';
import { makeStore, type ObjectStore, rehearse } from '../kernel/storage/index.ts';
import { failure, type Finding, ok, warn } from './finding.ts';

const LIMIT_MS = 15_000;
const LITTLE_SPACE_BYTES = 1024 ** 3;

/** Stores an object, reads it, lists it and removes it again. */
export async function* checkObjectStore(config: Config): AsyncGenerator<Finding> {
  const store = await makeStore(config, new Clock());
  try {
    if (config.objectStoreS3) {
      await Promise.race([rehearse(store), tooLate()]);
      yield ok('OBJECT_STORE_S3_BUCKET', `${config.objectStoreS3.bucket} takes, returns, lists and removes objects`);
    } else yield* checkFolder(config.objectStoreDir, store);
  } catch (error) {
    yield failure('object store', error instanceof ConfigError ? error : store.explain(error));
  } finally {
    // Closes the connections of a bucket's client.
    (store as Partial<OnApplicationShutdown>).onApplicationShutdown?.();
  }
}

async function* checkFolder(folder: string, store: ObjectStore): AsyncGenerator<Finding> {
  await Promise.race([rehearse(store), tooLate()]);
  const { bavail, bsize } = statfsSync(existingPart(folder));
  const free = bavail * bsize;
  const gib = `${(free / LITTLE_SPACE_BYTES).toFixed(1)} GiB`;
  yield free < LITTLE_SPACE_BYTES
    ? warn('OBJECT_STORE_DIR', `only ${gib} are free in ${folder}; uploads fail when it is full`)
    : ok('OBJECT_STORE_DIR', `${folder} takes, returns and removes files, ${gib} are free`);
}

function existingPart(path: string): string {
  return existsSync(path) ? path : existingPart(dirname(path));
}

/** Limits a file system or a store that hangs. */
async function tooLate(): Promise<never> {
  await wait(LIMIT_MS, undefined, { ref: false });
  throw Object.assign(new Error(`no answer within ${LIMIT_MS / 1_000} s`), { name: 'AbortError', code: 'ETIMEDOUT' });
}
