import { Injectable } from '@nestjs/common';
import type { Tx } from '../../kernel/database/index.ts';
import { type AnsweredQuestion, InboxAnswered } from '../inbox/index.ts';
import { profileOfCycle, requestCycle } from './learning-cycles.queries.ts';

/** Notes, in the transaction of an answer, that the profile which asked has something to learn. */
@Injectable()
export class AnsweredInputs {
  constructor(inbox: InboxAnswered) {
    inbox.register('learning_input', this);
  }

  async questionAnswered(tx: Tx, { taskId }: AnsweredQuestion): Promise<void> {
    const { organizationId } = tx;
    const [profile] = taskId === null ? [] : await tx.rows(profileOfCycle(organizationId, taskId));
    if (profile) await tx.rows(requestCycle(organizationId, profile.id, profile.now));
  }
}
