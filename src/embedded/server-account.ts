import { chmodSync, chownSync, statSync } from 'node:fs';
import type { DataFolder } from './data-folder.ts';
import { succeeds } from './server-programs.ts';

/** The account that runs the server's programs. PostgreSQL refuses to run as root. */
export interface ServerAccount {
  /** Prefix of a command line that makes it run as this account. Empty where that is our own account. */
  readonly prefix: readonly string[];
  /** The same without capabilities. */
  readonly plain: readonly string[];
  readonly uid: number;
  readonly gid: number;
}

/** The user `nobody` on Linux, used when we run as root and the data has no owner yet. */
const NOBODY = 65534;

/**
 * Chooses the account: our own user, unless we are root. For root it is the owner of the data, at first `nobody`, which
 * gets two capabilities to bypass file permissions only where it cannot reach the folder without them, as under a home
 * of mode 0700.
 */
export async function serverAccount(folder: DataFolder): Promise<ServerAccount> {
  const [uid, gid] = [process.getuid!(), process.getgid!()];
  if (uid !== 0) return { prefix: [], plain: [], uid, gid };

  const data = statSync(folder.cluster, { throwIfNoEntry: false });
  const owner = data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : { uid: NOBODY, gid: NOBODY };
  letThrough(folder, owner.gid);

  const drop = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  const plain = [...drop, '--'];
  const privileged = [...drop, `--inh-caps=${CAPABILITIES}`, `--ambient-caps=${CAPABILITIES}`, '--'];
  const reaches = await succeeds([...plain, 'sh', '-c', 'cd "$1"', 'reaches', folder.root]);
  return { prefix: reaches ? plain : privileged, plain, ...owner };
}

const CAPABILITIES = '+dac_override,+fowner';

/**
 * Lets the server's group pass through a folder that only root may enter, so that it reaches its data but cannot list
 * the folder.
 */
function letThrough(folder: DataFolder, gid: number): void {
  const root = statSync(folder.root);
  if (root.uid !== 0 || (root.mode & 0o077) !== 0) return;
  chownSync(folder.root, 0, gid);
  chmodSync(folder.root, 0o710);
}
