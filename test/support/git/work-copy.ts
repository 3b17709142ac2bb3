import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings of nobody's machine. */
const ENVIRONMENT = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@acme.example',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@acme.example',
  GIT_TERMINAL_PROMPT: '0',
};

export interface Ran {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A repository in which a test works with the git of this machine. */
export class WorkCopy {
  private commits = 0;

  private constructor(readonly folder: string) {}

  static async create(): Promise<WorkCopy> {
    const copy = new WorkCopy(await mkdtemp(join(tmpdir(), 'work-copy-')));
    await copy.git(['init', '--quiet', '--initial-branch=main']);
    return copy;
  }

  /** Runs git; throws where it fails, unless that is looked at. */
  async git(
    args: readonly string[],
    input: string | Buffer = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<Buffer> {
    const { status, stdout, stderr } = await this.attempt(args, input, env);
    if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`);
    return stdout;
  }

  attempt(
    args: readonly string[],
    input: string | Buffer = '',
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    const { promise, resolve } = Promise.withResolvers<Ran>();
    const options = {
      cwd: this.folder,
      env: { ...ENVIRONMENT, ...env },
      encoding: 'buffer',
      maxBuffer: 256 * 1_024 * 1_024,
    } as const;
    const child = execFile('git', [...args], options, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr: stderr.toString() }),
    );
    child.stdin?.on('error', () => undefined).end(input);
    return promise;
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
