import { PassThrough } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { ApiError, type ErrorRow } from '../../../kernel/errors/index.ts';
import type { StreamedAnswer } from '../../../kernel/http/index.ts';
import { ActionFollowingService, type SuccessiveAction } from '../../actions/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { MEDIA, NO_CACHE, PUSH_WAIT_MS, REMARK_MS } from '../git-proxy.policy.ts';
import { type PushReport, remarkBytes, reportBytes, type ReportForm } from '../protocol/index.ts';
import { outcomeOf } from './push-outcome.ts';

/** Says in the protocol what became of pushes, each client in the form that it asked for. */
@Injectable()
export class PushAnswersService {
  private readonly logger = new Logger('GitPushes');

  constructor(private readonly following: ActionFollowingService) {}

  /** A client that wants no report can only be told by status. */
  report(report: PushReport, form: ReportForm, row: ErrorRow = GitErrors.conflict): StreamedAnswer {
    const failed = report.unpackFault ?? report.refs.flatMap((each) => (each.isDone ? [] : [each.reason]))[0];
    if (!form.isReported && failed !== undefined) throw new ApiError(row, { message: `${failed}.` });
    return answerOf(reportBytes(report, form));
  }

  /** Where nobody has to approve the push, its client waits for the host's answer and hears that it is still under way. */
  async staged(found: SuccessiveAction, ref: string, form: ReportForm): Promise<StreamedAnswer> {
    if (found.kind === 'under_way' || !this.following.goesOn(found.action))
      return this.report(outcomeOf(found, ref), form);
    if (form.isReported && form.hasSideBand) return this.followed(found, ref, form);
    return this.report(await this.outcome(found, ref), form);
  }

  private followed(found: SuccessiveAction, ref: string, form: ReportForm): StreamedAnswer {
    const said = new PassThrough();
    // A client that leaves changes nothing.
    said.on('error', () => undefined);
    const remark = () => said.write(remarkBytes(`The push is on its way as action ${found.action.reference}.`));
    remark();
    const timer = setInterval(remark, REMARK_MS);
    const follow = async () => {
      try {
        said.end(reportBytes(await this.outcome(found, ref), form));
      } catch (error) {
        this.logger.error(`A push could not be followed: ${(error as Error).message}`, (error as Error).stack);
        said.end(reportBytes(outcomeOf(found, ref), form));
      } finally {
        clearInterval(timer);
      }
    };
    void follow();
    return answerOf(said);
  }

  private async outcome(found: SuccessiveAction, ref: string): Promise<PushReport> {
    return outcomeOf({ ...found, action: await this.following.settled(found.action, PUSH_WAIT_MS) }, ref);
  }
}

export function answerOf(body: StreamedAnswer['body']): StreamedAnswer {
  return { type: MEDIA.result['git-receive-pack'], headers: NO_CACHE, body };
}
