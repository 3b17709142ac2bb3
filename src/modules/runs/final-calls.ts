import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { canonicalDigest, sha256 } from '../../kernel/crypto/index.ts';
import { activeEntry, statement, Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError } from '../../kernel/errors/index.ts';
import { hasEnded, type RunRequestStatus, type TaskStatus } from '../tasks/index.ts';
import { actorOf, type Attempt, type AttemptRun, lockAttempt, readAttemptRun } from './attempt.ts';
import { AttemptEnding, type FinalReport } from './attempt-ending.ts';
import type { LeaseDto, RunEndedDto } from './run-completion.dto.ts';
import { RunErrors } from './run.errors.ts';
import { isLive, type RunStatus } from './run.state.ts';
import { conflict } from './run-outcomes.ts';

/** How a final call answers: where everything stands, or the one conflict that ends the run. */
type Final = { readonly ended: RunEndedDto } | { readonly refused: RefusedEnd };
interface RefusedEnd {
  readonly code: string;
  readonly message: string;
  readonly path: string;
}

export interface FinalCall {
  /** Takes locks that stand before the task's. */
  lock?(tx: Tx, run: AttemptRun): Promise<void>;
  /** Ends the attempt, whose task has not ended; may answer a refusal that is committed. */
  end(tx: Tx, attempt: Attempt): Promise<RefusedEnd | void>;
  /** What is kept of the run when its task ended before. */
  readonly report: FinalReport;
}

/**
 * The calls that end a run, each exactly once: under the lease, in one transaction, and repeatable with the same body,
 * which gets the stored answer for a day.
 *
 * Costs one commit and, for a plain completion without dependents, about twenty statements (measured; see the note of
 * the change).
 */
@Injectable()
export class FinalCalls {
  constructor(
    private readonly transactions: Transactions,
    private readonly endings: AttemptEnding,
  ) {}

  async make(runId: string, { organizationId, leaseToken, ...body }: LeaseDto, call: FinalCall): Promise<RunEndedDto> {
    const entry = activeEntry(organizationId, RunErrors.leaseExpired);
    const presented: Presented = { tokenHash: sha256(leaseToken), digest: canonicalDigest(withoutUndefined(body)) };
    const final = await this.transactions.through(entry, async (tx) => {
      const seen = await readAttemptRun(tx, organizationId, runId);
      if (!seen) throw new ApiError(RunErrors.leaseExpired);
      if (!isLive(seen.status)) return replay(seen, presented);
      await call.lock?.(tx, seen);
      const attempt = await lockAttempt(tx, organizationId, seen);
      const { run, task } = attempt;
      // The same call may have ended it while this one waited for the locks.
      if (!isLive(run.status)) return replay(run, presented);
      if (!run.leaseValid || !timingSafeEqual(run.leaseTokenHash, presented.tokenHash))
        throw new ApiError(RunErrors.leaseExpired);
      let refused: RefusedEnd | void = undefined;
      if (hasEnded(task.status)) await this.endCancelled(tx, organizationId, attempt, call.report);
      else refused = await call.end(tx, attempt);
      const answer: Final = refused ? { refused } : { ended: await where(tx, organizationId, run) };
      await keepAnswer(tx, organizationId, run.id, presented.digest, answer);
      return answer;
    });
    if ('refused' in final) throw conflict(final.refused.code, final.refused.message, final.refused.path);
    return final.ended;
  }

  private async endCancelled(tx: Tx, organizationId: string, attempt: Attempt, report: FinalReport): Promise<void> {
    await this.endings.close(tx, organizationId, attempt, 'cancelled', report, actorOf(attempt.run));
    await this.endings.afterTaskEnded(tx, organizationId, attempt);
  }
}

interface Presented {
  readonly tokenHash: Buffer;
  readonly digest: string;
}

function replay(run: AttemptRun, { tokenHash, digest }: Presented): Final {
  if (run.finalDigest === null || run.forgotten || !timingSafeEqual(run.leaseTokenHash, tokenHash))
    throw new ApiError(RunErrors.leaseExpired);
  if (run.finalDigest !== digest)
    throw conflict('ended_otherwise', 'The run has ended with another call, or another body.', '');
  return run.finalAnswer as Final;
}

async function keepAnswer(tx: Tx, organizationId: string, runId: string, digest: string, answer: Final): Promise<void> {
  await tx.rows(
    statement(
      `update run set final_digest = $3, final_answer = $4::jsonb where organization_id = $1 and id = $2`,
      organizationId,
      runId,
      digest,
      JSON.stringify(answer),
    ),
  );
}

async function where(tx: Tx, organizationId: string, { id, taskId, runRequestId }: AttemptRun): Promise<RunEndedDto> {
  const [row] = await tx.rows(
    statement<{ status: RunStatus; taskStatus: TaskStatus; runRequestStatus: RunRequestStatus }>(
      `select r.status, t.status as "taskStatus", q.status as "runRequestStatus"
       from run r join task t on t.organization_id = r.organization_id and t.id = r.task_id
         join run_request q on q.organization_id = r.organization_id and q.id = $3
       where r.organization_id = $1 and r.id = $2`,
      organizationId,
      id,
      runRequestId,
    ),
  );
  return { runId: id, taskId, ...row! };
}

/** A class that was validated carries keys that nobody sent, as undefined. */
function withoutUndefined(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
