import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import { canonicalDigest } from '../../../kernel/crypto/index.ts';
import { type Statement, statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { type PlannedOutcomeDto, TaskPlansService } from '../../tasks/index.ts';
import { holdRun } from '../leases/run-hold.ts';
import { conflict } from './outcome-handlers.port.ts';
import { type Outcome, OUTCOME_MODES } from '../run.state.ts';
import { stagedOutcome } from './staged-outcome.ts';
import type { StagedOutcomeDto, StageOutcomeDto } from './staged-outcome.dto.ts';
import { RunIssues } from '../run.errors.ts';

/** What agents stage for the end of their run: validated at once, replaceable until the run completes. */
@Injectable()
export class OutcomeStagingService {
  constructor(
    private readonly transactions: Transactions,
    private readonly executions: LiveExecutions,
    private readonly plans: TaskPlansService,
  ) {}

  /** `raw` is the body as it came: the digest is the agent's to compute, too. */
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
      await holdRun(tx, execution);
      if (dryRun) return { outcomeId: null, digest, issues: [...issues] };
      const [staged] = await tx.rows(store(execution, outcome, digest));
      return { outcomeId: staged!.id, digest, issues: [] };
    });
  }

  /** What stands in the way of a well-formed outcome as things are now. */
  private async problems(tx: Tx, execution: ExecutionPrincipal, outcome: Outcome): Promise<readonly Issue[]> {
    switch (outcome.kind) {
      case 'planned':
        return this.problemsOfPlan(tx, execution, outcome as Outcome & PlannedOutcomeDto);
      case 'handoff':
        // Nobody keeps inbox items yet, so none has this id.
        return [issueAt('inboxItemId', EdgeIssues.unknownReference, 'names no inbox item of this run')];
      case 'learning':
        throw notPermitted('The task of this run is none of kind "learning".');
      default:
        return [];
    }
  }

  private async problemsOfPlan(tx: Tx, execution: ExecutionPrincipal, plan: PlannedOutcomeDto) {
    const { organizationId, executionId } = execution;
    const [run] = await tx.rows(
      statement<{ taskId: string }>(
        `select task_id as "taskId" from run where organization_id = $1 and id = $2`,
        organizationId,
        executionId,
      ),
    );
    return this.plans.check(tx, organizationId, run!.taskId, plan, { actor: execution, runId: executionId });
  }
}

function notPermitted(message: string): ApiError {
  return conflict(RunIssues.outcomeNotPermitted, message, 'kind');
}

/** What names nothing that is there is a bad request; everything else speaks of a state that may change. */
function refused(issues: readonly Issue[]): ApiError {
  const isUnknown = issues.every(({ code }) => code === EdgeIssues.unknownReference.code);
  return new ApiError(isUnknown ? EdgeErrors.validationFailed : EdgeErrors.stateConflict, { issues });
}

/** The same outcome keeps its id. */
function store(
  { organizationId, executionId }: ExecutionPrincipal,
  outcome: Outcome,
  digest: string,
): Statement<{ id: string }> {
  return statement(
    `insert into run_outcome as o (organization_id, run_id, id, kind, outcome, digest) values ($1, $2, $3, $4, $5::jsonb, $6)
     on conflict (organization_id, run_id) do update set
       id = case when o.digest = excluded.digest then o.id else excluded.id end, kind = excluded.kind,
       outcome = excluded.outcome, digest = excluded.digest, staged_at = clock_timestamp()
     returning o.id`,
    organizationId,
    executionId,
    newId(),
    outcome.kind,
    JSON.stringify(outcome),
    digest,
  );
}
