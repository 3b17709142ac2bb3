import { Injectable } from '@nestjs/common';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { TaskEnded, WorkSignals } from '../../tasks/index.ts';
import type { FinalReport } from '../attempts/attempt-ending.queries.ts';
import type { FinalCallKey } from './final-calls.service.ts';
import {
  completionLocks,
  completePlainRuns,
  type PlainCompletion,
  type PlainCompletionRow,
} from './plain-completions.queries.ts';
import type { RunEndedDto } from './run-completion.dto.ts';
import { lockedRun } from '../leases/run-lease.queries.ts';
import { RunErrors } from '../run.errors.ts';

/**
 * Completes runs on the hot path: the most frequent end, of work that moves nothing but itself. Does what
 * `FinalCallsService` with `CompletedOutcome` would do, in one round trip that completions share, and leaves all other
 * cases to them.
 */
@Injectable()
export class PlainCompletionsService {
  private readonly completions: Shared<PlainCompletion, PlainCompletionRow>;

  constructor(
    transactions: Transactions,
    private readonly followers: TaskEnded,
    private readonly signals: WorkSignals,
    private readonly activity: ActivityLogService,
  ) {
    this.completions = transactions.shared<PlainCompletion, PlainCompletionRow>(
      {
        keysOf: lockedRun,
        statements: (calls) => [...completionLocks(calls), completePlainRuns(calls, followers.nothingToDo)],
      },
      RunErrors.leaseExpired,
    );
  }

  /** Answers the statuses of run, task and request; undefined, with nothing moved, where the completion is not plain. */
  async complete(
    runId: string,
    { organizationId, tokenHash, digest }: FinalCallKey,
    output: PlainCompletion['output'],
    report: FinalReport,
  ): Promise<RunEndedDto | undefined> {
    if (!this.followers.nothingToDo) return undefined;
    const entries = { runEntryId: newId(), taskEntryId: newId() };
    const ended = await this.completions.run({ organizationId, runId, tokenHash, digest, output, report, ...entries });
    if (!ended) return undefined;
    this.signals.ready(organizationId, 1);
    this.activity.tell(organizationId, ended.isHeard);
    return ended.answer;
  }
}
