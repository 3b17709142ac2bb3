import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonicalDigest, sha256 } from '../../../kernel/crypto/index.ts';
import { statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, type Issue } from '../../../kernel/errors/index.ts';
import type { LeaseDto } from '../../../kernel/leases/index.ts';
import { hasEnded } from '../../tasks/index.ts';
import { actorOf, type Attempt, type AttemptRun, lockAttempt, readAttempt } from '../attempts/attempt.ts';
import { AttemptEndingService } from '../attempts/attempt-ending.service.ts';
import type { FinalReport } from '../attempts/attempt-ending.queries.ts';
import type { RunEndedDto } from './run-completion.dto.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { isLive } from '../run.state.ts';
import { conflict } from '../outcomes/outcome-handlers.port.ts';

/** How a final call answers: where everything stands, or the one conflict that ends the run. */
type Final = { readonly ended: RunEndedDto } | { readonly refused: Issue };
export interface FinalCall {
  /** Takes what stands before the task in the order of locks; answers how to give it back, where that is anything. */
  lock?(tx: Tx, run: AttemptRun): Promise<(() => Promise<unknown>) | undefined>;
  /** Ends the attempt, whose task has not ended; may answer a refusal that is committed. */
  end(tx: Tx, attempt: Attempt): Promise<Issue | void>;
  /** What is kept of the run when its task ended before. */
  report(tx: Tx): Promise<FinalReport>;
}

/**
 * The calls that end a run, each exactly once: under the lease, in one transaction, and repeatable with the same body,
 * which gets the stored answer for a day.
 *
 * Each is one transaction, so one commit, of six or seven round trips (`hot-calls.test.ts`): what has to be known before it
 * can go on costs one each, what need not wait goes together. Plain completions do not come here (`plain-completion.ts`).
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
    const final = await this.transactions.through(access, async (tx) => {
      const seen = await readAttempt(tx, organizationId, runId);
      if (!seen) throw new ApiError(RunErrors.leaseExpired);
      if (!isLive(seen.run.status)) return replay(seen.run, key);
      const giveBack = await call.lock?.(tx, seen.run);
      let attempt = await lockAttempt(tx, organizationId, seen);
      if (giveBack && isOver(attempt)) {
        // Numbers of tasks that were taken for nothing would leave a gap.
        await giveBack();
        attempt = await lockAttempt(tx, organizationId, seen);
        if (!isOver(attempt)) throw conflict(RunIssues.taskRetried, 'The task was just retried; call again.', '');
      }
      const { run, task } = attempt;
      // The same call may have ended it while this one waited for the locks.
      if (!isLive(run.status)) return replay(run, key);
      if (!run.leaseValid || !timingSafeEqual(run.leaseTokenHash, key.tokenHash))
        throw new ApiError(RunErrors.leaseExpired);
      let refused: Issue | void = undefined;
      if (hasEnded(task.status))
        await this.endings.endBehindTask(tx, organizationId, attempt, await call.report(tx), actorOf(run));
      else refused = await call.end(tx, attempt);
      return keepAnswer(tx, organizationId, run, key.digest, refused ?? undefined);
    });
    if ('refused' in final) throw conflict(final.refused, final.refused.message, final.refused.path);
    return final.ended;
  }
}

/** The same call, or a cancel, was quicker. */
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

function replay(run: AttemptRun, { tokenHash, digest }: FinalCallKey): Final {
  if (run.finalDigest === null || run.forgotten || !timingSafeEqual(run.leaseTokenHash, tokenHash))
    throw new ApiError(RunErrors.leaseExpired);
  if (run.finalDigest !== digest)
    throw conflict(RunIssues.endedOtherwise, 'The run has ended with another call, or another body.', '');
  return run.finalAnswer as Final;
}

/** Reads where everything stands now and keeps it as the answer for repeats; or the refusal. */
async function keepAnswer(
  tx: Tx,
  organizationId: string,
  { id, taskId, runRequestId }: AttemptRun,
  digest: string,
  refused: Issue | undefined,
): Promise<Final> {
  const [kept] = await tx.rows(
    statement<{ answer: Final }>(
      `update run r set final_digest = $3, final_answer = coalesce($6::jsonb, jsonb_build_object('ended', jsonb_build_object(
         'runId', r.id, 'status', r.status, 'taskId', t.id, 'taskStatus', t.status, 'runRequestStatus', q.status)))
       from task t, run_request q
       where r.organization_id = $1 and r.id = $2 and t.organization_id = $1 and t.id = $4
         and q.organization_id = $1 and q.id = $5
       returning r.final_answer as answer`,
      organizationId,
      id,
      digest,
      taskId,
      runRequestId,
      refused ? JSON.stringify({ refused }) : null,
    ),
  );
  return kept!.answer;
}
