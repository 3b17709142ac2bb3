import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { StreamedAnswer } from '../../../kernel/http/index.ts';
import type { GitAccess } from '../access/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';

/** A push whose body was not read yet. */
export interface ReceivedPush {
  readonly access: GitAccess;
  readonly body: Readable;
  /** How the body is packed: `gzip`, `x-gzip`; undefined where it comes as it is. */
  readonly contentEncoding: string | undefined;
  /** Aborts when the client leaves before it was answered. */
  readonly signal: AbortSignal;
}

/** Takes pushes. */
@Injectable()
export class PushesService {
  async take({ body }: ReceivedPush): Promise<StreamedAnswer> {
    body.destroy();
    throw new ApiError(GitErrors.cannotVerify);
  }
}
