import { Injectable } from '@nestjs/common';
import { statement } from '../../../kernel/database/index.ts';
import { taskMoves, TaskEndingService } from '../../tasks/index.ts';
import { completedEnd } from './completed-outcome.adapter.ts';
import { type OutcomeContext, type OutcomeHandler, OutcomeHandlers } from './outcome-handlers.port.ts';
import type { Outcome } from '../run.state.ts';

interface Verification extends Outcome {
  readonly kind: 'verification';
  readonly verdict: 'accepted' | 'rejected';
  readonly findings: readonly object[];
}

/** Accepted, the result stands; rejected, the task goes back with the findings, and that counts as a failed attempt there. */
@Injectable()
export class VerificationOutcome implements OutcomeHandler<Verification> {
  constructor(
    private readonly tasks: TaskEndingService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('verification', this);
  }

  async apply({ tx, organizationId, attempt, outcome, actor }: OutcomeContext<Verification>): Promise<void> {
    const { task, locked, run } = attempt;
    if (outcome.verdict === 'accepted') {
      const result = task.unverifiedResult as Parameters<typeof completedEnd>[0];
      return this.tasks.end(tx, organizationId, locked, task, completedEnd(result), actor);
    }
    await tx.rows(
      statement(
        `update task set status = ${taskMoves.moved('requeue', 'status')}, phase = 'execute', unverified_result = null,
           refund_streak = 0, execute_failures = execute_failures + 1, version = version + 1, updated_at = clock_timestamp()
         where organization_id = $1 and id = $2`,
        organizationId,
        task.id,
      ),
    );
    if (task.executeFailures + 1 < task.maxAttemptsPerPhase)
      return this.tasks.proceed(tx, organizationId, locked, [task.id]);
    await this.tasks.end(
      tx,
      organizationId,
      locked,
      task,
      {
        status: 'failed',
        code: 'attempts_exhausted',
        message: 'The verification rejected the last attempt of this phase.',
        runId: run.id,
      },
      actor,
    );
  }
}
