import type { Tx } from '../../../kernel/database/index.ts';

/** What a person should know of a task. */
export interface Notice {
  readonly taskId: string;
  /** At most 200 characters. */
  readonly title: string;
  /** At most 10,000 characters. */
  readonly body: string;
  /** Notices of one key are one while it stands open: told again, it has the newest text. */
  readonly dedupeKey: string;
}

/** Puts tasks before a person. */
export interface QuestionAsker {
  /** Opens a question with the answers `retry` and `cancel`; returns the id of its inbox item. */
  ask(tx: Tx, taskId: string, reason: string): Promise<string>;
  /** Opens a notification, which blocks nothing. */
  tell(tx: Tx, notice: Notice): Promise<void>;
  /** Takes a notification back whose cause is gone. */
  withdraw(tx: Tx, dedupeKey: string): Promise<void>;
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

  async tell(tx: Tx, notice: Notice): Promise<void> {
    await this.asker?.tell(tx, notice);
  }

  async withdraw(tx: Tx, dedupeKey: string): Promise<void> {
    await this.asker?.withdraw(tx, dedupeKey);
  }
}
