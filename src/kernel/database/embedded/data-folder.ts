import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SPAWN_OPTIONS, type ServerAccount } from './server-account.ts';

/** Superuser of every embedded server. */
export const SUPERUSER = 'postgres';

/** Everything that belongs to one embedded server, by absolute real paths. */
export interface DataFolder {
  readonly root: string;
  /** PostgreSQL's own data; appears in one rename when it is complete. */
  readonly cluster: string;
  /** `postmaster.pid`: PostgreSQL writes and removes it, and leaves it behind when it is killed. */
  readonly pidFile: string;
  readonly log: string;
  readonly password: string;
  /** Held by whoever starts, joins or leaves. */
  readonly lock: string;
  /** The named pipe that keeps the server up, and the guard's answers to those who took hold of it. */
  readonly pipe: string;
  readonly holders: string;
}

/** Makes the folder with mode 0700 where it is missing; an existing one keeps its mode. */
export function openDataFolder(dataDir: string): DataFolder {
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const root = fs.realpathSync(dataDir);
  const cluster = join(root, 'postgres');
  return {
    root,
    cluster,
    pidFile: join(cluster, 'postmaster.pid'),
    log: join(root, 'postgres.log'),
    password: join(root, 'postgres-password'),
    lock: join(root, 'postgres.lock'),
    pipe: join(root, 'postgres.alive'),
    holders: join(root, 'postgres.holders'),
  };
}

/** The superuser's password: made once, kept with mode 0600, never replaced, since the cluster knows no other. */
export function superuserPassword(folder: DataFolder): string {
  if (fs.existsSync(folder.password)) return fs.readFileSync(folder.password, 'utf8').trim();
  if (fs.existsSync(folder.cluster)) {
    throw new Error(`${folder.password} is missing: without it the data in ${folder.cluster} cannot be opened.`);
  }
  const password = randomBytes(24).toString('base64url');
  const draft = `${folder.password}.new`;
  fs.writeFileSync(draft, `${password}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, folder.password);
  syncFolder(folder.root);
  return password;
}

/**
 * Runs initdb where there is no cluster yet; true when it did. The caller holds the folder's lock.
 *
 * The work happens in a sibling folder and the result is renamed into place, so a cluster is complete or absent. The
 * sibling's name is new each time: an initdb that outlived its killed parent cannot write into the next attempt.
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
  await promisify(execFile)(program!, args, SPAWN_OPTIONS);

  fs.renameSync(cluster, folder.cluster);
  // A rename that power loss undoes would leave the data under the draft's name, which the next start removes.
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
    // Retries: an orphaned initdb may still be adding files.
    await rm(join(folder.root, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

function syncFolder(path: string): void {
  const fd = fs.openSync(path, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
