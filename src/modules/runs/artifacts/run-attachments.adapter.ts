import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { type Statement, statement } from '../../../kernel/database/index.ts';
import { AttachmentReaders, type AttachmentRef } from '../../chats/index.ts';

/**
 * Tells chats which attachments a run may read: those of the chat that its task came of, and those that an owner named
 * among the inputs of its root task. What agents name opens nothing that they do not see themselves.
 */
@Injectable()
export class RunAttachments {
  constructor(readers: AttachmentReaders) {
    readers.register('task_run', mayRead);
  }
}

function mayRead(
  { organizationId, executionId }: ExecutionPrincipal,
  { chatId, attachmentId }: AttachmentRef,
): Statement {
  return statement(
    `select from run r
     join task t on t.organization_id = r.organization_id and t.id = r.task_id
     join task root on root.organization_id = t.organization_id and root.id = t.root_task_id
     where r.organization_id = $1 and r.id = $2 and (
       t.source_chat_id = $3
       or (root.created_by_run_id is null and root.source_message_id is null and root.spec->'inputs' @> $4::jsonb))`,
    organizationId,
    executionId,
    chatId,
    JSON.stringify([{ kind: 'attachment', chatId, attachmentId }]),
  );
}
