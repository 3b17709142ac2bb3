import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { CAPABILITY_SECONDS } from '../../../kernel/auth/index.ts';
import { sha256 } from '../../../kernel/crypto/index.ts';
import { type Shared, Transactions } from '../../../kernel/database/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { ApiError, EdgeErrors, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { heartbeatIntervalMs } from '../../../kernel/leases/index.ts';
import {
  hasEnded,
  lockForEnd,
  lockTasks,
  rejoinLinesOfOne,
  TaskEndingService,
  WorkSignals,
} from '../../tasks/index.ts';
import { ExecutionTokensService } from './execution-tokens.service.ts';
import { RunErrors, RunIssues } from '../run.errors.ts';
import { START_CONDITIONS, type StartCondition } from '../run-start.policy.ts';
import type { StartedRunDto, StartRunDto } from './run-start.dto.ts';
import {
  addCapacityRows,
  claimedTask,
  endClaim,
  startRuns,
  type Start,
  startLocks,
  type StartRow,
  type StartVerdict,
} from './run-start.queries.ts';

/** Turns claims into runs. */
@Injectable()
export class RunStartService {
  private readonly starts: Shared<Start, StartRow>;

  constructor(
    private readonly transactions: Transactions,
    private readonly ending: TaskEndingService,
    private readonly signals: WorkSignals,
    private readonly tokens: ExecutionTokensService,
    private readonly config: Config,
  ) {
    const seconds = { leaseSeconds: config.runs.leaseSeconds, capabilitySeconds: CAPABILITY_SECONDS };
    this.starts = transactions.shared(
      {
        keysOf: ({ runRequestId, runId }) => [runRequestId, runId],
        statements: (starts) => [...startLocks(starts), startRuns(starts, seconds)],
      },
      RunErrors.leaseExpired,
    );
  }

  async start(runRequestId: string, body: StartRunDto): Promise<StartedRunDto> {
    const start: Start = {
      organizationId: body.organizationId,
      runRequestId,
      runId: body.runId,
      workerId: body.workerId,
      bootId: body.bootId ?? null,
      tokenHash: sha256(body.leaseToken),
    };
    const row = await this.move(start);
    if (row.verdict !== 'started' && row.verdict !== 'replayed') {
      await this.followRefusal(start, row.verdict);
      throw refusal(row.verdict);
    }
    const { organizationId, runId } = start;
    return {
      kind: 'run',
      organizationId,
      agentProfileId: row.agentProfileId,
      taskId: row.taskId,
      runRequestId,
      runId,
      attempt: row.attempt,
      leaseExpiresAt: row.leaseExpiresAt,
      heartbeatIntervalMs: heartbeatIntervalMs(this.config.runs.leaseSeconds),
      executionToken: this.tokens.issue({ ...row, organizationId, runId }),
    };
  }

  private async move(start: Start): Promise<StartRow> {
    const row = await this.starts.run(start);
    if (row!.verdict !== 'capacity_missing') return row!;
    await this.transactions.batch(activeAccess(start.organizationId, RunErrors.leaseExpired), addCapacityRows(start));
    return (await this.starts.run(start))!;
  }

  /** What a refusal changes, in the order of all locks and decided again under them. */
  private async followRefusal(start: Start, verdict: StartVerdict): Promise<void> {
    if (REFUSALS[verdict]?.resolvedBy !== 'nothing') return;
    const { organizationId } = start;
    await this.transactions.through(activeAccess(organizationId, RunErrors.leaseExpired), async (tx) => {
      const [claimed] = await tx.rows(claimedTask(start));
      if (!claimed) return;
      const { taskId } = claimed;
      const locked = verdict === 'budget_exhausted' ? await lockForEnd(tx, [taskId]) : await lockTasks(tx, [taskId]);
      const task = locked.get(taskId)!;
      // A task that was unblocked meanwhile relies on this very request.
      if (task.status === 'blocked' && verdict === 'task_blocked') await tx.rows(endClaim(start, 'supersede'));
      if (hasEnded(task.status)) await tx.rows(endClaim(start, 'endWithTask'));
      else if (verdict === 'budget_exhausted' && task.consumedAgentRunCount >= task.maxAgentRuns)
        await this.ending.end(tx, locked, task, {
          status: 'failed',
          code: 'budget_exhausted',
          message: START_CONDITIONS.budget_exhausted.message,
          runId: null,
        });
      // The claim has ended, so its place is free.
      await tx.rows(rejoinLinesOfOne(organizationId));
      tx.afterCommit(() => this.signals.ready(organizationId, 1));
    });
  }
}

const REFUSALS: Readonly<Partial<Record<StartVerdict, StartCondition>>> = {
  ...START_CONDITIONS,
  capacity_exceeded: START_CONDITIONS.organization_full,
};

function refusal(verdict: StartVerdict): ApiError {
  const condition = REFUSALS[verdict];
  if (condition) return conflict(issueAt('', condition.issue, condition.message));
  if (verdict === 'run_id_in_use') return conflict(issueAt('runId', RunIssues.runIdInUse));
  return new ApiError(RunErrors.leaseExpired);
}

function conflict(issue: Issue): ApiError {
  return new ApiError(EdgeErrors.stateConflict, { issues: [issue] });
}
