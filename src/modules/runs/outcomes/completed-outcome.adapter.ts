import { Injectable } from '@nestjs/common';
import { TaskEndingService } from '../../tasks/index.ts';
import { verifyNext } from './outcomes.queries.ts';
import { type OutcomeContext, type OutcomeHandler, OutcomeHandlers } from './outcome-handlers.port.ts';
import type { Outcome } from '../run.state.ts';

interface Completed extends Outcome {
  readonly kind: 'completed';
  readonly artifacts: readonly { readonly kind: string }[];
}

/** Completes the task with the result, or lets another run verify the result first. */
@Injectable()
export class CompletedOutcome implements OutcomeHandler<Completed> {
  constructor(
    private readonly tasks: TaskEndingService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('completed', this);
  }

  async apply({ tx, attempt, outcome, actor }: OutcomeContext<Completed>): Promise<void> {
    const { task, locked } = attempt;
    if (task.verification === 'none') return this.tasks.end(tx, locked, task, completedEnd(outcome), actor);
    await tx.rows(verifyNext(tx.organizationId, task.id, outcome));
    await this.tasks.proceed(tx, locked, [task.id]);
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
