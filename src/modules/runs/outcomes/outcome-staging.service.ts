import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { holdQuestion } from '../../inbox/index.ts';
import { type PlannedOutcomeDto, TaskPlansService } from '../../tasks/index.ts';
import { NO_QUESTION } from './handoff-outcome.adapter.ts';
import { stageOutcome } from './outcomes.queries.ts';
import { conflict } from './outcome-handlers.port.ts';
import { type Outcome, OUTCOME_MODES } from '../run.state.ts';
import { stagedOutcome } from './staged-outcome.ts';
import type { StagedOutcomeDto, StageOutcomeDto } from './staged-outcome.dto.ts';
import { RunIssues } from '../run.errors.ts';

/** Stages the outcomes of runs for their agents: validates at once, and replaces until the run completes. */
@Injectable()
export class OutcomeStagingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly plans: TaskPlansService,
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
      const issues = await this.problems(tx, execution, outcome);
      if (issues.length > 0 && !dryRun) throw refused(issues);
      // Locked behind the check, which locks tasks: a completion, which reads what is staged under its own lock of the
      // run, comes before or after.
      await this.executions.hold(tx, execution);
      if (dryRun) return { outcomeId: null, digest, issues: [...issues] };
      const [staged] = await tx.rows(stageOutcome(execution, outcome, digest));
      return { outcomeId: staged!.id, digest, issues: [] };
    });
  }

  /** Issues of a well-formed outcome in the present state of task, plan and inbox. */
  private async problems(tx: Tx, execution: ExecutionPrincipal, outcome: Outcome): Promise<readonly Issue[]> {
    switch (outcome.kind) {
      case 'planned':
        return this.problemsOfPlan(tx, execution, outcome as Outcome & PlannedOutcomeDto);
      case 'handoff':
        return this.problemsOfHandoff(tx, execution, outcome as Outcome & { readonly inboxItemId: string });
      case 'learning':
        throw notPermitted('The task of this run is none of kind "learning".');
      default:
        return [];
    }
  }

  private async problemsOfHandoff(tx: Tx, execution: ExecutionPrincipal, { inboxItemId }: { inboxItemId: string }) {
    const [question] = await tx.rows(holdQuestion(tx.organizationId, await this.taskOf(tx, execution), inboxItemId));
    return question ? [] : [issueAt('inboxItemId', EdgeIssues.unknownReference, NO_QUESTION)];
  }

  private async problemsOfPlan(tx: Tx, execution: ExecutionPrincipal, plan: PlannedOutcomeDto) {
    const taskId = await this.taskOf(tx, execution);
    return this.plans.check(tx, taskId, plan, { actor: execution, runId: execution.executionId });
  }

  private async taskOf(tx: Tx, execution: ExecutionPrincipal): Promise<string> {
    const { taskId } = (await this.executions.boundTo(tx, execution)) as { readonly taskId: string };
    return taskId;
  }
}

function notPermitted(message: string): ApiError {
  return conflict(RunIssues.outcomeNotPermitted, message, 'kind');
}

/** 400 where all issues are unknown references; else 409, of a state that may change. */
function refused(issues: readonly Issue[]): ApiError {
  const isUnknown = issues.every(({ code }) => code === EdgeIssues.unknownReference.code);
  return new ApiError(isUnknown ? EdgeErrors.validationFailed : EdgeErrors.stateConflict, { issues });
}
