import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS_OF_NOBODY } from './git-settings.ts';

export interface Ran {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A repository in which a test works with the git of this machine. */
export class WorkCopy {
  readonly folder: string;
  private commits = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<WorkCopy> {
    const copy = new WorkCopy(await mkdtemp(join(tmpdir(), 'work-copy-')));
    await copy.git(['init', '--quiet', '--initial-branch=main']);
    return copy;
  }

  /** Of an address, with settings in the environment; throws where that fails. */
  static async clone(
    url: string,
    env: Readonly<Record<string, string>> = {},
    options: readonly string[] = [],
  ): Promise<WorkCopy> {
    const copy = new WorkCopy(await mkdtemp(join(tmpdir(), 'work-copy-')));
    await copy.git(['clone', '--quiet', ...options, url, '.'], '', env);
    return copy;
  }

  /** Runs git; throws where it fails, unless that is looked at. */
  git(
    args: readonly string[],
    input: string | Buffer = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<Buffer> {
    return runGit(this.folder, args, input, env);
  }

  attempt(
    args: readonly string[],
    input: string | Buffer = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    return attemptGit(this.folder, args, input, env);
  }

  /** Commits a file with a text; the commit's id. */
  async commit(file: string, text: string | Buffer): Promise<string> {
    this.commits += 1;
    await writeFile(join(this.folder, file), text);
    await this.git(['add', '--all']);
    await this.git(['commit', '--quiet', '--message', `Change ${file} (${this.commits})`]);
    return this.head();
  }

  async head(): Promise<string> {
    return (await this.git(['rev-parse', 'HEAD'])).toString().trim();
  }

  /** A pack of what the revisions name, such as `main`, `^old`. */
  pack(revisions: readonly string[], options: readonly string[] = []): Promise<Buffer> {
    return this.git(['pack-objects', '--stdout', '--revs', '--quiet', ...options], `${revisions.join('\n')}\n`);
  }

  /** A pack of exactly these objects. */
  packOf(oids: readonly string[]): Promise<Buffer> {
    return this.git(['pack-objects', '--stdout', '--quiet'], `${oids.join('\n')}\n`);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Runs git in a folder, with these variables on top of nobody's settings; throws where it fails. */
export async function runGit(
  folder: string,
  args: readonly string[],
  input: string | Buffer = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  const { status, stdout, stderr } = await attemptGit(folder, args, input, env);
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

export function attemptGit(
  folder: string,
  args: readonly string[],
  input: string | Buffer,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const options = {
    cwd: folder,
    env: { ...SETTINGS_OF_NOBODY, ...env },
    encoding: 'buffer',
    maxBuffer: 256 * 1_024 * 1_024,
  } as const;
  const child = execFile('git', [...args], options, (error, stdout, stderr) =>
    resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr: stderr.toString() }),
  );
  child.stdin?.on('error', () => undefined).end(input);
  return promise;
}
