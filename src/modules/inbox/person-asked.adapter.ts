import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { type Notice, OperatorQuestions, type QuestionAsker } from '../tasks/index.ts';
import { BackendItemsService } from './backend-items.service.ts';
import { OPERATOR_OPTIONS } from './inbox-item.policy.ts';
import { BACKEND, InboxItemsService } from './inbox-items.service.ts';
import { taskName } from './inbox-moves.queries.ts';

/** Puts tasks that do not get on before a person, and tells people what became of tasks. */
@Injectable()
export class PersonAsked implements QuestionAsker {
  constructor(
    questions: OperatorQuestions,
    private readonly items: InboxItemsService,
    private readonly backend: BackendItemsService,
  ) {
    questions.register(this);
  }

  async ask(tx: Tx, taskId: string, reason: string): Promise<string> {
    const [task] = await tx.rows(taskName(tx.organizationId, taskId));
    const { identifier, title } = task!;
    return this.items.open(
      tx,
      {
        kind: 'question',
        purpose: 'task',
        severity: 'action_required',
        title: `${identifier} does not get on: try again, or cancel it?`,
        body: `${reason}\n\nThe task: ${title}`,
        presentation: { options: Object.values(OPERATOR_OPTIONS), allowFreeText: false },
        openedBy: 'system',
        openedByProfileKey: null,
        taskId,
        runId: null,
        turnId: null,
        chatId: null,
        actionId: null,
        dedupeScope: tx.organizationId,
        dedupeKey: `operator:${taskId}`,
        expiresAt: null,
      },
      BACKEND,
    );
  }

  async tell(tx: Tx, notice: Notice): Promise<void> {
    await this.backend.open(tx, {
      ...notice,
      kind: 'notification',
      severity: 'attention',
      runId: null,
      chatId: null,
      actionId: null,
      expiresAt: null,
    });
  }

  async withdraw(tx: Tx, dedupeKey: string): Promise<void> {
    await this.backend.close(tx, { dedupeKey }, { status: 'withdrawn', by: null, reason: 'task_retried' });
  }
}
