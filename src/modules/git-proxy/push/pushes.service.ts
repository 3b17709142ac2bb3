import { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import type { StreamedAnswer } from '../../../kernel/http/index.ts';
import type { SuccessiveAction } from '../../actions/index.ts';
import type { GitAccess } from '../access/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { BrokenFraming, type PushCommands, type PushReport, PushRequestReader, reportForm } from '../protocol/index.ts';
import { InstalledGitService, RefusedPush } from '../verification/index.ts';
import { answerOf, PushAnswersService } from './push-answers.service.ts';
import { PushBody } from './push-body.ts';
import { refused, refusedAsking } from './push-refusals.ts';
import { PushStagingService } from './push-staging.service.ts';

/** A push whose body was not read yet. */
export interface ReceivedPush {
  readonly access: GitAccess;
  readonly body: Readable;
  /** How the body is packed: `gzip`, `x-gzip`; undefined where it comes as it is. */
  readonly contentEncoding: string | undefined;
}

/** What stands before the pack, and the pack's first bytes where they came along. */
interface Asked {
  readonly asked: PushCommands;
  readonly begun: Buffer;
}

/**
 * Takes pushes. Whatever is decided behind the first line of the body is said in the protocol: behind any other status git
 * tells its person that all is up to date.
 */
@Injectable()
export class PushesService {
  private readonly logger = new Logger('GitPushes');

  constructor(
    private readonly git: InstalledGitService,
    private readonly staging: PushStagingService,
    private readonly answers: PushAnswersService,
  ) {}

  async take({ access, body: request, contentEncoding }: ReceivedPush): Promise<StreamedAnswer> {
    const body = new PushBody(request, contentEncoding);
    try {
      await this.git.require();
      const { asked, begun } = await commandsOf(body);
      if (asked.isProbe) {
        await requireNothingMore(body, begun);
        return answerOf(Buffer.alloc(0));
      }
      return await this.answered(access, asked, body, Readable.from(packOf(begun, body.pieces), { objectMode: false }));
    } finally {
      body.drop();
    }
  }

  private async answered(
    access: GitAccess,
    asked: PushCommands,
    body: PushBody,
    pack: Readable,
  ): Promise<StreamedAnswer> {
    const form = reportForm(asked.capabilities);
    const refusal = refusedAsking(asked);
    if (refusal) return this.answers.report(refusal, form);
    const [command] = asked.commands;
    const { shallow } = asked;
    let staged: SuccessiveAction;
    try {
      staged = await this.staging.stage({ access, command: command!, shallow, pack });
    } catch (error) {
      // Its client has left, and hears nothing.
      if (body.isCut) throw new ApiError(EdgeErrors.requestTimeout);
      const row = error instanceof ApiError ? error.row : GitErrors.conflict;
      return this.answers.report(this.refusalBy(error, asked), form, row);
    }
    return this.answers.staged(staged, command!.ref, form);
  }

  private refusalBy(error: unknown, asked: PushCommands): PushReport {
    if (error instanceof RefusedPush) return refused(asked, error.message, error.isUnpackFault);
    if (isUnpacking(error)) return refused(asked, UNPACKABLE, true);
    if (error instanceof ApiError) return refused(asked, reasonOf(error), error.row === GitErrors.packTooLarge);
    this.logger.error(`A push was not taken: ${(error as Error).message}`, (error as Error).stack);
    return refused(asked, 'the service failed; push again');
  }
}

const UNPACKABLE = 'the body is not packed as it says';

/** Reads until the commands are whole. 400 where they are none. */
async function commandsOf({ pieces }: PushBody): Promise<Asked> {
  const reader = new PushRequestReader();
  try {
    for (;;) {
      const next = await pieces.next();
      if (next.done) reader.cut();
      const asked = reader.add(next.value);
      if (asked) return { asked, begun: reader.pack };
    }
  } catch (error) {
    if (error instanceof BrokenFraming) throw malformed(error.message);
    if (isUnpacking(error)) throw malformed(`${UNPACKABLE}.`);
    throw error;
  }
}

/** Behind the bytes with which a client asks whether it may push. */
async function requireNothingMore({ pieces }: PushBody, begun: Buffer): Promise<void> {
  const next = begun.length > 0 ? undefined : await pieces.next();
  if (!next?.done) throw malformed('Bytes follow a push of nothing.');
}

async function* packOf(begun: Buffer, pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (begun.length > 0) yield begun;
  yield* pieces;
}

function malformed(message: string): ApiError {
  return new ApiError(EdgeErrors.validationFailed, { message });
}

function isUnpacking(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** On one line, as clients show it behind the name of the branch. */
function reasonOf({ message, issues: [issue] = [] }: ApiError): string {
  return issue && issue.path !== '' ? `${issue.path} ${issue.message}` : message;
}
