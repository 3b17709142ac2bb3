import { Injectable } from '@nestjs/common';
import { statement } from '../../../kernel/database/index.ts';
import { taskMoves, TaskEndingService } from '../../tasks/index.ts';
import { type OutcomeContext, type OutcomeHandler, OutcomeHandlers } from './outcome-handlers.port.ts';
import type { Outcome } from '../run.state.ts';

interface Completed extends Outcome {
  readonly kind: 'completed';
  readonly artifacts: readonly { readonly kind: string }[];
}

/** The work is done: the task completes, or its result waits to be verified by another run. */
@Injectable()
export class CompletedOutcome implements OutcomeHandler<Completed> {
  constructor(
    private readonly tasks: TaskEndingService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('completed', this);
  }

  async apply({ tx, organizationId, attempt, outcome, actor }: OutcomeContext<Completed>): Promise<void> {
    const { task, locked } = attempt;
    if (task.verification === 'none')
      return this.tasks.end(tx, organizationId, locked, task, completedEnd(outcome), actor);
    await tx.rows(
      statement(
        `update task set status = ${taskMoves.moved('requeue', 'status')}, phase = 'verify', unverified_result = $3::jsonb,
           verify_failures = 0, refund_streak = 0, version = version + 1, updated_at = clock_timestamp()
         where organization_id = $1 and id = $2`,
        organizationId,
        task.id,
        JSON.stringify(outcome),
      ),
    );
    await this.tasks.proceed(tx, organizationId, locked, [task.id]);
  }
}

/** The end of a task with this result. */
export function completedEnd(result: Completed) {
  return {
    status: 'completed',
    result,
    artifactKinds: [...new Set(result.artifacts.map(({ kind }) => kind))],
  } as const;
}
