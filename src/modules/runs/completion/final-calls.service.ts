import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonicalDigest, sha256 } from '../../../kernel/crypto/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import type { LeaseDto } from '../../../kernel/leases/index.ts';
import { hasEnded } from '../../tasks/index.ts';
import { actorOf, type Attempt, lockAttempt, readAttempt } from '../attempts/attempt.ts';
import type { AttemptRun } from '../attempts/attempt.queries.ts';
import { AttemptEndingService } from '../attempts/attempt-ending.service.ts';
import type { FinalReport } from '../attempts/attempt-ending.queries.ts';
import { type FinalAnswer, keepAnswer } from './final-calls.queries.ts';
import type { RunEndedDto } from './run-completion.dto.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { isLive } from '../run.state.ts';
import { conflict } from '../outcomes/outcome-handlers.port.ts';

export interface FinalCall {
  /** Takes the locks that precede the task's in the order of locks; answers how to give them back, if it took any. */
  lock?(tx: Tx, run: AttemptRun): Promise<(() => Promise<unknown>) | undefined>;
  /** Ends the attempt, whose task has not ended; may answer a refusal that is committed. */
  end(tx: Tx, attempt: Attempt): Promise<Issue | void>;
  /** The report to keep where the task ended before its run. */
  report(tx: Tx): Promise<FinalReport>;
}

/**
 * The calls that end a run, each exactly once: under the lease, in one transaction, and repeatable with the same body,
 * which gets the stored answer for a day.
 *
 * Each is one transaction, so one commit, of six or seven round trips (`hot-calls.test.ts`): a read that the next step
 * depends on costs one, statements that need not wait go together. `PlainCompletionsService` takes plain completions.
 */
@Injectable()
export class FinalCallsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly endings: AttemptEndingService,
  ) {}

  async execute(runId: string, key: FinalCallKey, call: FinalCall): Promise<RunEndedDto> {
    const { organizationId } = key;
    const access = activeAccess(organizationId, RunErrors.leaseExpired);
    const final = await this.transactions.through(access, async (tx): Promise<FinalAnswer> => {
      const seen = await readAttempt(tx, runId);
      if (!seen) throw new ApiError(RunErrors.leaseExpired);
      if (!isLive(seen.run.status)) return replay(seen.run, key);
      const giveBack = await call.lock?.(tx, seen.run);
      let attempt = await lockAttempt(tx, seen);
      if (giveBack && isOver(attempt)) {
        // Numbers of tasks that were taken in vain would leave a gap.
        await giveBack();
        attempt = await lockAttempt(tx, seen);
        if (!isOver(attempt)) throw conflict(RunIssues.taskRetried, 'The task was just retried; call again.', '');
      }
      const { run, task } = attempt;
      // The same call may have ended it while this one waited for the locks.
      if (!isLive(run.status)) return replay(run, key);
      if (!run.leaseValid || !timingSafeEqual(run.leaseTokenHash, key.tokenHash))
        throw new ApiError(RunErrors.leaseExpired);
      let refused: Issue | void = undefined;
      if (hasEnded(task.status)) await this.endings.endBehindTask(tx, attempt, await call.report(tx), actorOf(run));
      else refused = await call.end(tx, attempt);
      const [kept] = await tx.rows(keepAnswer(organizationId, run, key.digest, refused ?? undefined));
      return kept!.answer;
    });
    if ('refused' in final) throw conflict(final.refused, final.refused.message, final.refused.path);
    return final.ended;
  }
}

/** Whether the same call, or a cancel, was quicker. */
function isOver({ run, task }: Attempt): boolean {
  return !isLive(run.status) || hasEnded(task.status);
}

/** Identifies a final call: its lease, and SHA-256 of its canonical body as it came, without the lease. */
export interface FinalCallKey {
  readonly organizationId: string;
  readonly tokenHash: Buffer;
  readonly digest: string;
}

export function finalCallKey({ organizationId, leaseToken }: LeaseDto, raw: object): FinalCallKey {
  const { organizationId: _organization, leaseToken: _token, ...body } = raw as LeaseDto;
  return { organizationId, tokenHash: sha256(leaseToken), digest: canonicalDigest(body) };
}

function replay(run: AttemptRun, { tokenHash, digest }: FinalCallKey): FinalAnswer {
  if (run.finalDigest === null || run.forgotten || !timingSafeEqual(run.leaseTokenHash, tokenHash))
    throw new ApiError(RunErrors.leaseExpired);
  if (run.finalDigest !== digest)
    throw new ApiError(EdgeErrors.stateConflict, {
      message: 'The run has ended already: read the run for its outcome.',
      issues: [issueAt('', RunIssues.endedOtherwise)],
    });
  return run.finalAnswer as FinalAnswer;
}
