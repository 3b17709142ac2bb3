import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { type Statement, statement } from '../../../kernel/database/index.ts';
import type { AttachmentRef } from './attachments.queries.ts';

type ExecutionKind = ExecutionPrincipal['execution'];

/** A select that answers a row where an execution may read an attachment. */
type MayRead = (execution: ExecutionPrincipal, attachment: AttachmentRef) => Statement;

/** Port: declared here, implemented by `runs` for task runs: which attachments an execution may read. */
@Injectable()
export class AttachmentReaders {
  private readonly kinds = new Map<ExecutionKind, MayRead>([['chat_turn', isOfTurnsChat]]);

  register(execution: ExecutionKind, mayRead: MayRead): void {
    this.kinds.set(execution, mayRead);
  }

  permission(execution: ExecutionPrincipal, attachment: AttachmentRef): Statement {
    const mayRead = this.kinds.get(execution.execution);
    if (!mayRead) throw new Error(`No module knows what executions of the kind ${execution.execution} may read.`);
    return mayRead(execution, attachment);
  }
}

function isOfTurnsChat({ organizationId, executionId }: ExecutionPrincipal, { chatId }: AttachmentRef): Statement {
  return statement(
    `select from message m where m.organization_id = $1 and m.id = $2 and m.chat_id = $3`,
    organizationId,
    executionId,
    chatId,
  );
}
