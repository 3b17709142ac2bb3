import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, type GitOptions, GitProcess, type GitResult } from './git-process.ts';

/** Large files are kept as they are instead of in memory. */
const SETTINGS = ['-c', 'core.bigFileThreshold=1m', '-c', 'core.hooksPath=/dev/null', '-c', 'pack.threads=1'];

const PREFIX = 'business-runner-push-';

/** A bare repository that one push is looked at in, readable by the service alone. */
export class PrivateRepository {
  private constructor(private readonly folder: string) {}

  static async create(signal?: AbortSignal): Promise<PrivateRepository> {
    // Only its owner may enter what `mkdtemp` makes.
    const repository = new PrivateRepository(await mkdtemp(join(tmpdir(), PREFIX)));
    try {
      const args = ['init', '--bare', '--quiet', '--template=', '--object-format=sha1', '--initial-branch=none'];
      const { status } = await repository.run(args, signal ? { signal } : {});
      if (status !== 0) throw new Error(`git init ended with ${status}; the service needs git 2.30 or newer.`);
      return repository;
    } catch (error) {
      await repository.remove();
      throw error;
    }
  }

  /** Starts a command that is given its input piece by piece. */
  start(args: readonly string[], options: Omit<GitOptions, 'folder'> = {}): GitProcess {
    return new GitProcess([...SETTINGS, ...args], { ...options, folder: this.folder });
  }

  run(args: readonly string[], options: Omit<GitOptions, 'folder'> = {}, input?: Uint8Array): Promise<GitResult> {
    return git([...SETTINGS, ...args], { ...options, folder: this.folder }, input);
  }

  /** Tells git behind which commits there is nothing to look for. */
  async endHistoryAt(oids: readonly string[]): Promise<void> {
    await writeFile(join(this.folder, 'shallow'), oids.map((oid) => `${oid}\n`).join(''), { mode: 0o600 });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes the repositories that were made before a time: no push is looked at for as long as an hour. */
export async function removeLeftRepositories(before: Date): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(tmpdir(), name);
    // Another process may remove it at the same time.
    const found = await lstat(folder).catch(() => undefined);
    if (found && found.mtime < before) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
