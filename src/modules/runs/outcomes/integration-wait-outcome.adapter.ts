import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { Outbox } from '../../../kernel/outbox/index.ts';
import { type ConnectorUse, REQUIREMENT_CHECK } from '../../integrations/index.ts';
import { TaskBlockersService, TaskEndingService } from '../../tasks/index.ts';
import { AttemptEndingService } from '../attempts/attempt-ending.service.ts';
import { mayRefund } from '../attempts/attempt-policy.ts';
import type { Outcome } from '../run.state.ts';
import { blockerOf, isMet, type Requirement } from './integration-requirement.ts';
import { type OutcomeContext, type OutcomeHandler, OutcomeHandlers } from './outcome-handlers.port.ts';
import { refundRun } from './outcomes.queries.ts';
import { RequirementChecksService } from './requirement-checks.service.ts';

interface Wait extends Outcome {
  readonly kind: 'integration_wait';
  readonly requirements: readonly Requirement[];
}

/**
 * Lets the task wait for what its connectors lack, which is looked at anew behind the commit. The run counts for nothing;
 * where nothing is lacking any more, the task goes on at once.
 */
@Injectable()
export class IntegrationWaitOutcome implements OutcomeHandler<Wait> {
  constructor(
    private readonly tasks: TaskEndingService,
    private readonly blockers: TaskBlockersService,
    private readonly endings: AttemptEndingService,
    private readonly checks: RequirementChecksService,
    private readonly outbox: Outbox,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('integration_wait', this);
  }

  async apply({ tx, attempt, outcome: { requirements }, actor }: OutcomeContext<Wait>): Promise<void> {
    const { task, locked } = attempt;
    const uses = await this.checks.usesOf(tx, task.ownerAgentProfileId);
    const issues = requirements.flatMap((requirement, place) => faultsOf(requirement, place, uses));
    if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
    const unmet = requirements.map(blockerOf).filter((blocker) => !isMet(blocker, uses));
    await tx.rows(refundRun(tx.organizationId, task.id));
    if (!mayRefund(task)) {
      const reason = 'Runs of this task waited again and again for connectors.';
      return this.endings.ask(tx, attempt, reason, actor);
    }
    if (unmet.length === 0) return this.tasks.proceed(tx, locked, [task.id]);
    await this.blockers.addRefunded(tx, task.id, unmet);
    await this.askAnew(tx, requirements, uses);
  }

  /** A connector that changes meanwhile waits for no lock of the task's, so it is looked at again behind the commit. */
  private async askAnew(tx: Tx, requirements: readonly Requirement[], uses: readonly ConnectorUse[]): Promise<void> {
    const keys = uses
      .filter(({ row }) =>
        requirements.some((each) => row.key === each.connectorKey || isOfPurpose(each, row.purposes)),
      )
      .map(({ row }) => row.key);
    await tx.batch(
      keys.map((connectorKey) => this.outbox.event(tx.organizationId, REQUIREMENT_CHECK, { connectorKey })),
    );
  }
}

function isOfPurpose({ purpose }: Requirement, purposes: readonly string[]): boolean {
  return purpose !== undefined && purposes.includes(purpose);
}

function faultsOf(requirement: Requirement, place: number, uses: readonly ConnectorUse[]): Issue[] {
  const { connectorKey, purpose, need, toolName } = requirement;
  const at = `output.result.requirements.${place}`;
  if ((connectorKey === undefined) === (purpose === undefined))
    return [issueAt(`${at}.connectorKey`, EdgeIssues.required, 'is required, or else a purpose in its place')];
  if (connectorKey !== undefined && !uses.some(({ row }) => row.key === connectorKey))
    return [issueAt(`${at}.connectorKey`, EdgeIssues.unknownReference)];
  return need === 'tool' && toolName === undefined ? [issueAt(`${at}.toolName`, EdgeIssues.required)] : [];
}
