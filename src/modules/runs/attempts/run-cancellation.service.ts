import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError, issueAt } from '../../../kernel/errors/index.ts';
import { Idempotency, type IdempotentRequest } from '../../../kernel/idempotency/index.ts';
import { ActivityLogService } from '../../organizations/index.ts';
import { lockAttempt, readAttempt } from './attempt.ts';
import { requestCancel, requestRunCancel } from './run-cancellation.queries.ts';
import type { CancelRunDto, RunDetailDto } from '../run.dto.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { RunSignalsService } from '../run-signals.service.ts';
import { toRunDetail } from '../run-row.ts';
import { isLive } from '../run.state.ts';
import { runById } from '../runs.queries.ts';

/** Requests cancellation of runs; a worker learns of it from the heartbeat that waits, or its next call, and may complete before that. */
@Injectable()
export class RunCancellationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly idempotency: Idempotency,
    private readonly activity: ActivityLogService,
    private readonly signals: RunSignalsService,
  ) {}

  cancel(
    owner: OwnerPrincipal,
    organizationId: string,
    id: string,
    { requeue }: CancelRunDto,
    request: IdempotentRequest,
  ): Promise<RunDetailDto> {
    return this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.idempotency.once(
        tx,
        { subject: owner.subject, request, details: { requeue }, organizationOf: () => organizationId },
        async () => {
          const seen = await readAttempt(tx, id);
          if (!seen) throw new ApiError(RunErrors.notFound);
          const { run, request: asked, task } = await lockAttempt(tx, seen);
          if (!isLive(run.status)) throw new ApiError(RunErrors.ended);
          if (run.cancelRequested && asked.requeueOnCancel !== requeue) throw cancelledOtherwise(asked.requeueOnCancel);
          await tx.rows(requestCancel(organizationId, run.runRequestId, requeue));
          await tx.rows(requestRunCancel(organizationId, id));
          tx.afterCommit(() => this.signals.news(organizationId, [id]));
          await this.activity.record(tx, {
            actor: owner,
            verb: 'run.cancel_requested',
            subject: { kind: 'run', id, label: `${task.identifier} ${task.title}` },
            details: { taskId: run.taskId, requeue },
          });
          return toRunDetail((await tx.rows(runById(organizationId, id)))[0]!);
        },
      ),
    );
  }
}

/** 409: two requests that differ about the task's fate, so that neither silently wins over the other. */
function cancelledOtherwise(requeue: boolean): ApiError {
  const message = `The run is being cancelled already, with "requeue": ${requeue}.`;
  return new ApiError(RunErrors.ended, {
    message,
    issues: [issueAt('requeue', RunIssues.cancelledOtherwise, message)],
  });
}
