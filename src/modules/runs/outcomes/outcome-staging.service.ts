import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import type { ApiError } from '../../../kernel/errors/index.ts';
import { taskKindOf, stageOutcome } from './outcomes.queries.ts';
import { conflict, OutcomeHandlers, otherTaskKind, refused } from './outcome-handlers.port.ts';
import { mayEndIn, type Outcome, OUTCOME_MODES } from '../run.state.ts';
import { stagedOutcome } from './staged-outcome.ts';
import type { StagedOutcomeDto, StageOutcomeDto } from './staged-outcome.dto.ts';
import { RunIssues } from '../run.errors.ts';

/** Stages the outcomes of runs for their agents: validates at once, and replaces until the run completes. */
@Injectable()
export class OutcomeStagingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly handlers: OutcomeHandlers,
  ) {}

  /** `raw` is the body as it came: the agent computes the same digest. */
  stage(
    execution: ExecutionPrincipal,
    body: StageOutcomeDto,
    raw: unknown,
    dryRun: boolean,
  ): Promise<StagedOutcomeDto> {
    const outcome = stagedOutcome(body);
    const digest = canonicalDigest(raw);
    return this.transactions.through(this.executions.access(execution), async (tx) => {
      const { mode } = execution;
      if (mode === null || !OUTCOME_MODES[outcome.kind].includes(mode))
        throw notPermitted(`A run in mode "${mode}" cannot end in an outcome of kind "${outcome.kind}".`);
      const handler = this.handlers.of(outcome);
      const taskId = await this.taskOf(tx, execution, outcome);
      const issues = (await handler.check?.(tx, { execution, taskId }, outcome)) ?? [];
      if (issues.length > 0 && !dryRun) throw refused(handler, issues);
      // Locked behind the check, which locks tasks: a completion, which reads what is staged under its own lock of the
      // run, comes before or after.
      await this.executions.hold(tx, execution);
      if (dryRun) return { outcomeId: null, digest, issues: [...issues] };
      const [staged] = await tx.rows(stageOutcome(execution, outcome, digest));
      return { outcomeId: staged!.id, digest, issues: [] };
    });
  }

  /** The task of the run; 409 where runs of its kind may not end in the outcome. */
  private async taskOf(tx: Tx, execution: ExecutionPrincipal, { kind }: Outcome): Promise<string> {
    const { taskId } = (await this.executions.boundTo(tx, execution)) as { readonly taskId: string };
    const [task] = await tx.rows(taskKindOf(tx.organizationId, taskId));
    if (task && !mayEndIn(task.kind, kind)) throw otherTaskKind(task.kind, 'kind');
    return taskId;
  }
}

function notPermitted(message: string): ApiError {
  return conflict(RunIssues.outcomeNotPermitted, message, 'kind');
}
