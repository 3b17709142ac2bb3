import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { Statement } from '../../../kernel/database/index.ts';
import { type AttachmentRef, turnInChatOf } from './attachments.queries.ts';

type ExecutionKind = ExecutionPrincipal['execution'];

/** Makes a select that answers a row where an execution may read an attachment. */
type MayRead = (execution: ExecutionPrincipal, attachment: AttachmentRef) => Statement;

/** Port, declared here and implemented by `runs` for task runs: tells which attachments an execution may read. */
@Injectable()
export class AttachmentReaders {
  private readonly kinds = new Map<ExecutionKind, MayRead>([['chat_turn', turnInChatOf]]);

  register(execution: ExecutionKind, mayRead: MayRead): void {
    this.kinds.set(execution, mayRead);
  }

  permission(execution: ExecutionPrincipal, attachment: AttachmentRef): Statement {
    const mayRead = this.kinds.get(execution.execution);
    if (!mayRead)
      throw new Error(
        `No module says which attachments executions of the kind ${execution.execution} may read: register it.`,
      );
    return mayRead(execution, attachment);
  }
}
