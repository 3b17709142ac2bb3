import { Injectable } from '@nestjs/common';
import {
  ApiError,
  EdgeErrors,
  EdgeIssues,
  type ErrorRow,
  issueAt,
  type IssueRow,
} from '../../../kernel/errors/index.ts';
import { type ActionWait, actionWait, waitableActions } from '../../actions/index.ts';
import { TaskBlockersService, TaskEndingService } from '../../tasks/index.ts';
import { waitForNothing } from './outcomes.queries.ts';
import { type OutcomeContext, type OutcomeHandler, OutcomeHandlers } from './outcome-handlers.port.ts';
import type { Outcome } from '../run.state.ts';
import { RunIssues } from '../run.errors.ts';

interface Wait extends Outcome {
  readonly kind: 'action_wait';
  readonly actionIds: readonly string[];
}

/**
 * Blocks the task until its actions have ended; they end under the task's lock, so none of them does between this look and
 * the commit. Where all have ended already, the task goes on at once.
 */
@Injectable()
export class ActionWaitOutcome implements OutcomeHandler<Wait> {
  constructor(
    private readonly tasks: TaskEndingService,
    private readonly blockers: TaskBlockersService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('action_wait', this);
  }

  async apply({ tx, attempt, outcome }: OutcomeContext<Wait>): Promise<void> {
    const { organizationId } = tx;
    const { task, locked, run } = attempt;
    const { actionIds } = outcome;
    const seen = await tx.rows(waitableActions(organizationId, { taskId: task.id, runId: run.id }, actionIds));
    const wait = actionWait(actionIds, seen);
    if (wait.kind === 'blocked') {
      const blockers = wait.actionIds.map((actionId) => ({ kind: 'action', actionId }) as const);
      return this.blockers.add(tx, task.id, ...blockers);
    }
    if (wait.kind !== 'resolved') throw refusal(wait);
    await tx.rows(waitForNothing(organizationId, task.id));
    await this.tasks.proceed(tx, locked, [task.id]);
  }
}

function refusal(wait: Exclude<ActionWait, { kind: 'blocked' | 'resolved' }>): ApiError {
  switch (wait.kind) {
    case 'unknown':
      return at(EdgeErrors.validationFailed, EdgeIssues.unknownReference, wait.places, 'names no action of this task');
    case 'stale':
      return at(EdgeErrors.stateConflict, RunIssues.staleReceipt, wait.places);
    case 'unnamed': {
      const message = `${RunIssues.unnamedAction.message} Name these too: ${wait.actionIds.join(', ')}.`;
      return new ApiError(EdgeErrors.stateConflict, {
        message,
        issues: [issueAt('output.result.actionIds', RunIssues.unnamedAction, message)],
      });
    }
  }
}

function at(error: ErrorRow, row: IssueRow, places: readonly number[], message?: string): ApiError {
  return new ApiError(error, {
    issues: places.map((place) => issueAt(`output.result.actionIds.${place}`, row, message)),
  });
}
