import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/index.ts';
import { EdgeIssues, invalid, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { holdQuestion } from '../../inbox/index.ts';
import { TaskBlockersService, TaskEndingService } from '../../tasks/index.ts';
import { AttemptEndingService } from '../attempts/attempt-ending.service.ts';
import { mayRefund } from '../attempts/attempt-policy.ts';
import {
  type OutcomeAuthor,
  type OutcomeContext,
  type OutcomeHandler,
  OutcomeHandlers,
} from './outcome-handlers.port.ts';
import { refundRun } from './outcomes.queries.ts';
import type { Outcome } from '../run.state.ts';

interface Handoff extends Outcome {
  readonly kind: 'handoff';
  readonly inboxItemId: string;
}

/**
 * Lets the task wait for an open question. Where it is closed already, the task goes on at once and the run counts for
 * nothing. An answer locks the task too, so it comes before or after, and the task continues once.
 */
@Injectable()
export class HandoffOutcome implements OutcomeHandler<Handoff> {
  constructor(
    private readonly tasks: TaskEndingService,
    private readonly blockers: TaskBlockersService,
    private readonly endings: AttemptEndingService,
    handlers: OutcomeHandlers,
  ) {
    handlers.register('handoff', this);
  }

  async check(tx: Tx, { taskId }: OutcomeAuthor, { inboxItemId }: Handoff): Promise<readonly Issue[]> {
    const [question] = await tx.rows(holdQuestion(tx.organizationId, taskId, inboxItemId));
    return question ? [] : [issueAt('inboxItemId', EdgeIssues.unknownReference, NO_QUESTION)];
  }

  async apply({ tx, attempt, outcome, actor }: OutcomeContext<Handoff>): Promise<void> {
    const { task, locked } = attempt;
    const { inboxItemId } = outcome;
    const [question] = await tx.rows(holdQuestion(tx.organizationId, task.id, inboxItemId));
    if (!question) throw invalid('output.result.inboxItemId', EdgeIssues.unknownReference, NO_QUESTION);
    if (question.open) return this.blockers.add(tx, task.id, { kind: 'handoff', inboxItemId });
    await tx.rows(refundRun(tx.organizationId, task.id));
    if (mayRefund(task)) return this.tasks.proceed(tx, locked, [task.id]);
    const reason = 'Runs of this task waited again and again for questions that were closed already.';
    await this.endings.ask(tx, attempt, reason, actor);
  }
}

const NO_QUESTION = 'names no question of this task';
