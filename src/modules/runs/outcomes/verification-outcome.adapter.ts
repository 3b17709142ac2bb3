import { Injectable } from '@nestjs/common';
import { TaskEndingService } from '../../tasks/index.ts';
import { completedEnd } from './completed-outcome.adapter.ts';
import { rejectResult } from './outcomes.queries.ts';
import { type OutcomeContext, type OutcomeHandler, OutcomeHandlers } from './outcome-handlers.port.ts';
import type { Outcome } from '../run.state.ts';

interface Verification extends Outcome {
  readonly kind: 'verification';
  readonly verdict: 'accepted' | 'rejected';
  readonly findings: readonly object[];
}

/** Completes the task with an accepted result; sends it back with the findings on a rejected one, a failed attempt. */
@Injectable()
export class VerificationOutcome implements OutcomeHandler<Verification> {
  constructor(
    private readonly tasks: TaskEndingService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('verification', this);
  }

  async apply({ tx, attempt, outcome, actor }: OutcomeContext<Verification>): Promise<void> {
    const { task, locked, run } = attempt;
    if (outcome.verdict === 'accepted') {
      const result = task.unverifiedResult as Parameters<typeof completedEnd>[0];
      return this.tasks.end(tx, locked, task, completedEnd(result), actor);
    }
    await tx.rows(rejectResult(tx.organizationId, task.id));
    if (task.executeFailures + 1 < task.maxAttemptsPerPhase) return this.tasks.proceed(tx, locked, [task.id]);
    await this.tasks.end(
      tx,
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
