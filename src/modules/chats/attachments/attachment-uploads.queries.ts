import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { StoredBytes } from '../../../kernel/storage/index.ts';
import { type Upload, UploadNotes } from '../../../kernel/uploads/index.ts';
import type { AttachmentDto } from './attachment.dto.ts';
import { attachmentFolder } from './attachment.entity.ts';
import { ATTACHMENT_COLUMNS, type AttachmentRef } from './attachments.queries.ts';

export interface AttachmentUploadRef extends Upload {
  readonly chatId: string;
}

/** What is on its way to chats. */
export const attachmentUploads = new UploadNotes<AttachmentUploadRef>({
  table: 'attachment_upload',
  columns: { chatId: 'chat_id' },
  objectKeyOf: ({ organizationId, chatId, id }) => `${attachmentFolder(organizationId, chatId)}/${id}`,
  keeper: ({ organizationId, chatId }, objectKey) => sql`
    select from attachment a
    where a.organization_id = ${organizationId} and a.chat_id = ${chatId} and a.object_key = ${objectKey}`,
});

/** Name and type of a file, as its owner gives them. */
export interface FileNames {
  readonly fileName: string;
  readonly mediaType: string;
}

export type NewFile = FileNames & StoredBytes;

/** Makes an upload the attachment; no row where its bytes have been given up. */
export function insertAttachment(
  ref: AttachmentRef,
  upload: AttachmentUploadRef,
  file: NewFile,
): Statement<AttachmentDto> {
  const { fileName, mediaType, sizeBytes, sha256 } = file;
  return sql`
    with ended as (${attachmentUploads.end(upload)})
    insert into attachment as a (organization_id, chat_id, id, file_name, media_type, size_bytes, sha256, object_key)
    select ${ref.organizationId}, ${ref.chatId}, ${ref.attachmentId}, ${fileName}, ${mediaType}, ${sizeBytes},
      ${sha256}, ${attachmentUploads.objectKeyOf(upload)}
    from ended
    returning ${ATTACHMENT_COLUMNS}`;
}
