import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../config/index.ts';
import { type DataFolder, SUPERUSER, syncFolder } from './data-folder.ts';
import type { ServerAccount } from './server-account.ts';
import { SPAWN_OPTIONS } from './server-programs.ts';

/**
 * Runs initdb if there is no cluster yet; returns whether it did. The caller must hold the folder's lock.
 *
 * Works in a sibling folder and renames the result into place, so that a cluster is complete or absent. The sibling's
 * name is new each time, so that an initdb that outlived its killed parent cannot write into the next attempt.
 */
export async function initialiseCluster(
  folder: DataFolder,
  account: ServerAccount,
  initdb: string,
  password: string,
  options: { durable: boolean },
): Promise<boolean> {
  await removeDrafts(folder);
  if (fs.existsSync(folder.cluster)) return false;

  const draft = join(folder.root, `${DRAFT_PREFIX}${randomUUID()}`);
  const cluster = join(draft, 'data');
  const passwordFile = join(draft, 'password');
  fs.mkdirSync(draft, { mode: 0o700 });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [passwordFile, draft]) fs.chownSync(path, account.uid, account.gid);

  const [program, ...args] = [...account.prefix, initdb, `--pgdata=${cluster}`, ...INITDB_OPTIONS];
  args.push(`--pwfile=${passwordFile}`, options.durable ? '--sync-method=fsync' : '--no-sync');
  try {
    await promisify(execFile)(program!, args, SPAWN_OPTIONS);
  } catch (error) {
    const lines = String((error as { stderr?: unknown }).stderr)
      .trimEnd()
      .split('\n');
    throw new ConfigError(
      'DATA_DIR',
      `initdb failed in ${folder.root}: ${lines.find((line) => /error|FATAL/.test(line)) ?? lines.at(-1)}`,
    );
  }

  fs.renameSync(cluster, folder.cluster);
  // Without these, a power loss could undo the rename and leave the data under the draft's name, which the next start
  // removes.
  syncFolder(draft);
  syncFolder(folder.root);
  await removeDrafts(folder);
  return true;
}

const DRAFT_PREFIX = 'postgres.init-';

const INITDB_OPTIONS = [
  `--username=${SUPERUSER}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

async function removeDrafts(folder: DataFolder): Promise<void> {
  const drafts = fs.readdirSync(folder.root).filter((name) => name.startsWith(DRAFT_PREFIX));
  for (const name of drafts) {
    // Retries because an orphaned initdb may still be adding files.
    await rm(join(folder.root, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
