import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { StreamedAnswer } from '../../../kernel/http/index.ts';
import type { GitAccess } from '../access/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { type GitService, MEDIA, NO_CACHE } from '../git-proxy.policy.ts';
import { asRefusal, GitHostService, RepositoryHostService, requireAnswer } from '../host/index.ts';
import { BrokenFraming, PushAdvertisement } from '../protocol/index.ts';
import { InstalledGitService } from '../verification/index.ts';

/** Passes on what the host says of a repository; to clients that push without what they must not use. */
@Injectable()
export class DiscoveriesService {
  constructor(
    private readonly git: InstalledGitService,
    private readonly repositories: RepositoryHostService,
    private readonly host: GitHostService,
  ) {}

  async discover(
    access: GitAccess,
    service: GitService,
    protocol: string | undefined,
    signal: AbortSignal,
  ): Promise<StreamedAnswer> {
    const type = MEDIA.advertisement[service];
    const isForFetch = service === 'git-upload-pack';
    // What could not be verified is not even begun.
    if (!isForFetch) await this.git.require();
    try {
      const hostAccess = await this.repositories.accessTo(access, isForFetch ? 'read' : 'write', signal);
      const answer = await this.host.ask(hostAccess, {
        exchange: 'discovery',
        path: `info/refs?service=${service}`,
        accept: type,
        // Pushes have the first version alone.
        ...(isForFetch && protocol !== undefined ? { protocol } : {}),
        signal,
      });
      const { body } = requireAnswer(answer, type);
      return { type, headers: NO_CACHE, body: isForFetch ? body : await forPushes(body) };
    } catch (error) {
      throw asRefusal(error);
    }
  }
}

/** Resolves once the capabilities are known, so that what cannot be pushed to is refused by status. */
async function forPushes(body: Readable): Promise<Readable> {
  const advertisement = new PushAdvertisement();
  const pieces = body.iterator() as AsyncIterator<Buffer>;
  const rewritten: Buffer[] = [];
  try {
    while (!advertisement.capabilities) {
      const next = await pieces.next();
      if (next.done) throw new BrokenFraming('it has no capabilities');
      rewritten.push(advertisement.rewrite(next.value));
    }
    if (advertisement.capabilities.objectFormat !== 'sha1') throw new ApiError(GitErrors.otherObjects);
  } catch (error) {
    body.destroy();
    throw error;
  }
  return Readable.from(joined(Buffer.concat(rewritten), pieces), { objectMode: false });
}

async function* joined(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => pieces };
}
