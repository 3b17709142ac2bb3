import type { Tx } from '../../kernel/database/index.ts';
import type { InboxPurpose } from './inbox-item.state.ts';

/** A question that a person has answered, which no task waited for. */
export interface AnsweredQuestion {
  readonly inboxItemId: string;
  readonly purpose: InboxPurpose;
  readonly taskId: string | null;
  readonly runId: string | null;
  /** Of the profile whose run asked. */
  readonly profileKey: string | null;
  readonly response: { readonly text: string; readonly optionId: string | null };
}

/** Acts when questions of one purpose are answered. */
export interface AnswerFollower {
  /** Runs in the transaction of the answer, which holds the item. */
  questionAnswered(tx: Tx, question: AnsweredQuestion): Promise<void>;
}

/** Port: declared here, implemented by modules whose questions outlive the tasks that asked them. */
export class InboxAnswered {
  private readonly followers = new Map<InboxPurpose, AnswerFollower>();

  register(purpose: Exclude<InboxPurpose, 'task'>, follower: AnswerFollower): void {
    if (this.followers.has(purpose)) throw new Error(`Two modules follow answers of the purpose ${purpose}.`);
    this.followers.set(purpose, follower);
  }

  async answered(tx: Tx, question: AnsweredQuestion): Promise<void> {
    await this.followers.get(question.purpose)?.questionAnswered(tx, question);
  }
}
