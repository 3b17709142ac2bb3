import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import type { Issue } from '../../../kernel/errors/index.ts';
import { type LockedPlan, type PlannedOutcomeDto, TaskEndingService, TaskPlansService } from '../../tasks/index.ts';
import type { AttemptRun } from '../attempts/attempt.queries.ts';
import { actorOf } from '../attempts/attempt.ts';
import { executeNext } from './outcomes.queries.ts';
import {
  type OutcomeAuthor,
  type OutcomeContext,
  type OutcomeHandler,
  OutcomeHandlers,
} from './outcome-handlers.port.ts';
import type { Outcome } from '../run.state.ts';

type Planned = PlannedOutcomeDto & Outcome & { readonly kind: 'planned' };

/** Applies a plan as a whole; the task goes on when its children are settled. */
@Injectable()
export class PlannedOutcome implements OutcomeHandler<Planned, LockedPlan> {
  constructor(
    private readonly plans: TaskPlansService,
    private readonly tasks: TaskEndingService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('planned', this);
  }

  check(tx: Tx, { execution, taskId }: OutcomeAuthor, plan: Planned): Promise<readonly Issue[]> {
    const { agentProfileId, profileKey, executionId } = execution;
    const actor = { kind: 'agent', id: agentProfileId, name: profileKey } as const;
    return this.plans.check(tx, taskId, plan, { actor, runId: executionId });
  }

  lock(tx: Tx, run: AttemptRun, plan: Planned): Promise<LockedPlan> {
    return this.plans.lock(tx, run.taskId, plan, { actor: actorOf(run), runId: run.id });
  }

  async apply({ tx, attempt, held, actor }: OutcomeContext<Planned, LockedPlan>): Promise<void> {
    const { task, locked, run } = attempt;
    const { openChildren } = await this.plans.apply(tx, task, held, { actor, runId: run.id });
    await tx.rows(executeNext(tx.organizationId, task.id, openChildren));
    if (!openChildren) await this.tasks.proceed(tx, locked, [task.id]);
  }
}
