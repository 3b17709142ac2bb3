import { buffer } from 'node:stream/consumers';
import { Injectable, Logger } from '@nestjs/common';
import type { GitAccess } from '../access/index.ts';
import { AGENT, GIT_BOUNDS, MEDIA } from '../git-proxy.policy.ts';
import { GitHostService, RepositoryHostService, requireAnswer } from '../host/index.ts';
import { NO_OBJECT, packIn, type RefCommand, treesRequest, VERSION_2 } from '../protocol/index.ts';
import { fullNameOf } from '../repository-name.ts';
import {
  addPack,
  type ChangedPath,
  changedPaths,
  NO_FILES,
  shownCommits,
  type VerifiedPush,
} from '../verification/index.ts';
import { MOST_SHOWN_COMMITS, pushPreview } from './push-preview.ts';

/** Commits that a push builds upon, of which the host is asked for the trees. */
const MOST_BASES = 16;

/** Says what a push does, for the person who approves it. */
@Injectable()
export class PushPreviewsService {
  private readonly logger = new Logger('GitPushes');

  constructor(
    private readonly repositories: RepositoryHostService,
    private readonly host: GitHostService,
  ) {}

  async of(access: GitAccess, command: RefCommand, verified: VerifiedPush): Promise<string> {
    const { commits } = verified.walked;
    const newest = commits.slice(0, MOST_SHOWN_COMMITS).map(({ oid }) => oid);
    return pushPreview({
      repository: fullNameOf(access.name),
      command,
      commits: await shownCommits(verified.repository, newest),
      commitCount: commits.length,
      paths: verified.isEmpty ? [] : await this.paths(access, command, verified),
    });
  }

  /** Null where the host does not show in time what was there before: the push is staged all the same. */
  private async paths(
    access: GitAccess,
    { oldOid, newOid }: RefCommand,
    { walked, repository }: VerifiedPush,
  ): Promise<readonly ChangedPath[] | null> {
    const bases = [...walked.bases];
    // A branch that begins is compared with what it begins from.
    const base = oldOid === NO_OBJECT ? bases[0] : oldOid;
    try {
      if (base === undefined) return await changedPaths(repository, NO_FILES, newOid);
      const isPushed = walked.commits.some(({ oid }) => oid === base);
      // A merge has directories of the other branch, which a client leaves out where the host has them.
      const wanted = new Set([...(isPushed ? [] : [base]), ...bases].slice(0, MOST_BASES));
      if (wanted.size > 0) await addPack(repository, await this.treesOf(access, [...wanted]));
      return await changedPaths(repository, base, newOid);
    } catch (error) {
      this.logger.warn(`A push is shown without its paths: ${(error as Error).message}`);
      return null;
    }
  }

  private async treesOf(access: GitAccess, oids: readonly string[]): Promise<Uint8Array> {
    const signal = AbortSignal.timeout(GIT_BOUNDS.look.wholeMs);
    const type = MEDIA.result['git-upload-pack'];
    const answer = await this.host.ask(await this.repositories.accessTo(access, 'read', signal), {
      exchange: 'look',
      path: 'git-upload-pack',
      accept: type,
      contentType: MEDIA.request['git-upload-pack'],
      protocol: VERSION_2,
      body: treesRequest(oids, AGENT),
      signal,
    });
    return packIn(await buffer(requireAnswer(answer, type).body)).pack;
  }
}
