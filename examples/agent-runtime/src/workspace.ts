import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AgentFailure } from './failure.ts';

/** The files that agents may read: those below one folder, and links that stay inside it. */
export class Workspace {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  async read(path: string): Promise<string> {
    return readFile(await this.locate(path), 'utf8');
  }

  /** Files below a folder, as paths of the workspace with forward slashes, sorted by code unit. */
  async list(folder: string): Promise<string[]> {
    const entries = await readdir(await this.locate(folder), { recursive: true, withFileTypes: true });
    const root = await realpath(this.root);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort();
  }

  private async locate(path: string): Promise<string> {
    const root = await realpath(this.root);
    const found = await realpath(join(root, path)).catch(() => {
      throw new AgentFailure('input_missing', `The workspace has no ${path}`, 'config');
    });
    if (found !== root && !found.startsWith(root + sep))
      throw new AgentFailure('input_outside', `${path} is outside the workspace`, 'config');
    return found;
  }
}
