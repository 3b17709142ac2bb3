import { Injectable } from '@nestjs/common';
import { AttachmentReaders } from '../../chats/index.ts';
import { readableAttachment } from './run-artifacts.queries.ts';

/**
 * Tells chats which attachments a run may read: those of the chat that its task came of, and those that an owner named
 * among the inputs of its root task. An agent that names an attachment opens none that it does not see itself.
 */
@Injectable()
export class RunAttachments {
  constructor(readers: AttachmentReaders) {
    readers.register('task_run', readableAttachment);
  }
}
