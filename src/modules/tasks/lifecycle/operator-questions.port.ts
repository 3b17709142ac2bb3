import type { Tx } from '../../../kernel/database/index.ts';

/** Puts questions about tasks before a person. */
export interface QuestionAsker {
  /** Opens a question with the answers `retry` and `cancel`; returns the id of its inbox item. */
  ask(tx: Tx, taskId: string, reason: string): Promise<string>;
}

/** Port: declared here, implemented by `inbox` when it is there. */
export class OperatorQuestions {
  private asker: QuestionAsker | undefined;

  register(asker: QuestionAsker): void {
    this.asker = asker;
  }

  /** Null when there is no inbox: the caller then fails the task, which an owner may retry. */
  async ask(tx: Tx, taskId: string, reason: string): Promise<string | null> {
    return (await this.asker?.ask(tx, taskId, reason)) ?? null;
  }
}
