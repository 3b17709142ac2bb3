import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { columns, sql, type Statement } from '../../../kernel/database/index.ts';
import type { AttachmentDto } from './attachment.dto.ts';

/** Select list of an attachment aliased `a`. */
export const ATTACHMENT_COLUMNS = columns<AttachmentDto>({
  version: 'a.version',
  id: 'a.id',
  organizationId: 'a.organization_id',
  chatId: 'a.chat_id',
  fileName: 'a.file_name',
  mediaType: 'a.media_type',
  sizeBytes: 'a.size_bytes',
  sha256: 'a.sha256',
  createdAt: 'a.created_at',
  uri: `'service://organizations/' || a.organization_id || '/chats/' || a.chat_id || '/attachments/' || a.id`,
});

/** What names an attachment. */
export interface AttachmentRef {
  readonly organizationId: string;
  readonly chatId: string;
  readonly attachmentId: string;
}

export function attachmentById({ organizationId, chatId, attachmentId }: AttachmentRef): Statement<AttachmentDto> {
  return sql`
    select ${ATTACHMENT_COLUMNS} from attachment a
    where a.organization_id = ${organizationId} and a.chat_id = ${chatId} and a.id = ${attachmentId}`;
}

export interface AttachedFile {
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly objectKey: string;
}

/** The file of an attachment whose chat was not deleted. */
export function attachedFile({ organizationId, chatId, attachmentId }: AttachmentRef): Statement<AttachedFile> {
  return sql`
    select a.file_name as "fileName", a.size_bytes as "sizeBytes", a.sha256, a.object_key as "objectKey"
    from attachment a join chat c on c.organization_id = a.organization_id and c.id = a.chat_id
    where a.organization_id = ${organizationId} and a.chat_id = ${chatId} and a.id = ${attachmentId}
      and c.deleted_at is null`;
}

/** A row where the attachment is of the chat that a turn answers in. */
export function turnInChatOf(
  { organizationId, executionId }: ExecutionPrincipal,
  { chatId }: AttachmentRef,
): Statement {
  return sql`
    select from message m
    where m.organization_id = ${organizationId} and m.id = ${executionId} and m.chat_id = ${chatId}`;
}
