import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/index.ts';

/** Superuser of every embedded server. */
export const SUPERUSER = 'postgres';

/** Absolute real paths of everything that belongs to one embedded server. */
export interface DataFolder {
  readonly root: string;
  /** PostgreSQL's own data; renamed into place when it is complete. */
  readonly cluster: string;
  /** `postmaster.pid`: PostgreSQL writes and removes it, and leaves it behind when it is killed. */
  readonly pidFile: string;
  readonly log: string;
  readonly password: string;
  /** Locked by a process while it starts, joins or leaves the server. */
  readonly lock: string;
  /** The named pipe that keeps the server up, and the guard's answers to the processes that opened it. */
  readonly pipe: string;
  readonly holders: string;
}

/** Makes the folder with mode 0700 if it is missing; an existing one keeps its mode. */
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

/** The superuser's password: made once, kept with mode 0600, never replaced, because the cluster accepts no other. */
export function superuserPassword(folder: DataFolder): string {
  if (fs.existsSync(folder.password)) return fs.readFileSync(folder.password, 'utf8').trim();
  if (fs.existsSync(folder.cluster)) {
    throw new ConfigError(
      'DATA_DIR',
      `${folder.password} is missing; restore it, because the data in ${folder.cluster} cannot be opened without it`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  const draft = `${folder.password}.new`;
  fs.writeFileSync(draft, `${password}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, folder.password);
  syncFolder(folder.root);
  return password;
}

/** Makes renames in a folder survive a power loss. */
export function syncFolder(path: string): void {
  const fd = fs.openSync(path, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
