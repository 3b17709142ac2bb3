import { columns } from '../../kernel/database/index.ts';
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
