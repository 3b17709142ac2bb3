import { chmodSync, chownSync, statSync } from 'node:fs';
import type { DataFolder } from './data-folder.ts';
import { succeeds } from './server-programs.ts';

/** Whom the server's programs run as. PostgreSQL refuses to be root. */
export interface ServerAccount {
  /** Goes in front of a command line and makes it run as this account. Empty where that is simply us. */
  readonly prefix: readonly string[];
  /** The same without capabilities. */
  readonly plain: readonly string[];
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on Linux, where we are root and the data has no owner yet. */
const NOBODY = 65534;

/**
 * As an ordinary user, that user. As root, the owner of the data, at first `nobody`, who gets two capabilities to pass
 * file permissions only where the folder cannot be reached without, as under a home of mode 0700.
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

/** Lets the server's group pass through a folder that only root may enter: it can reach its data, and list nothing. */
function letThrough(folder: DataFolder, gid: number): void {
  const root = statSync(folder.root);
  if (root.uid !== 0 || (root.mode & 0o077) !== 0) return;
  chownSync(folder.root, 0, gid);
  chmodSync(folder.root, 0o710);
}
