import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../kernel/errors/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';

const OLDEST = [2, 30] as const;
const run = promisify(execFile);

/** Whether there is a git on this machine that pushes can be verified with. */
@Injectable()
export class InstalledGitService {
  private found: Promise<boolean> | undefined;

  /** 503 without one. */
  async require(): Promise<void> {
    this.found ??= isRecent();
    if (await this.found) return;
    // It may be installed meanwhile.
    this.found = undefined;
    throw new ApiError(GitErrors.cannotVerify);
  }
}

async function isRecent(): Promise<boolean> {
  try {
    const { stdout } = await run('git', ['version']);
    return isAtLeast(stdout, OLDEST);
  } catch {
    return false;
  }
}

/** Whether the words of `git version` are those of a release or of a later one. */
export function isAtLeast(said: string, [major, minor]: readonly [number, number]): boolean {
  const [, first, second] = /^git version (\d+)\.(\d+)/.exec(said) ?? [];
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}
