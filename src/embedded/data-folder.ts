import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/index.ts';

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
    throw new ConfigError(
      'DATA_DIR',
      `${folder.password} is missing; without it the data in ${folder.cluster} cannot be opened`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  const draft = `${folder.password}.new`;
  fs.writeFileSync(draft, `${password}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, folder.password);
  syncFolder(folder.root);
  return password;
}

/** Makes what was renamed in a folder outlive a loss of power. */
export function syncFolder(path: string): void {
  const fd = fs.openSync(path, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
