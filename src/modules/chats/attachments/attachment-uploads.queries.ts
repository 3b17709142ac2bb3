import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { StoredBytes } from '../../../kernel/storage/index.ts';
import type { AttachmentDto } from './attachment.dto.ts';
import { attachmentFolder } from './attachment.entity.ts';
import { UPLOADS_END_MINUTES } from './attachment.policy.ts';
import { ATTACHMENT_COLUMNS, type AttachmentRef } from './attachments.queries.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';

/** One upload; no other upload writes its bytes, not even one for the same attachment. */
export interface Upload {
  readonly organizationId: string;
  readonly id: string;
  readonly chatId: string;
}

export function objectKeyOf({ organizationId, chatId, id }: Upload): string {
  return `${attachmentFolder(organizationId, chatId)}/${id}`;
}

export function beginUpload({ organizationId, id, chatId }: Upload): Statement {
  return sql`
    insert into attachment_upload (organization_id, id, chat_id) values (${organizationId}, ${id}, ${chatId})`;
}

/** Name and type of a file, as its owner gives them. */
export interface FileNames {
  readonly fileName: string;
  readonly mediaType: string;
}

export type NewFile = FileNames & StoredBytes;

/** Makes an upload the attachment; no row where its bytes have been given up. */
export function insertAttachment(ref: AttachmentRef, upload: Upload, file: NewFile): Statement<AttachmentDto> {
  const { fileName, mediaType, sizeBytes, sha256 } = file;
  return sql`
    with ended as (
      delete from attachment_upload u
      where u.organization_id = ${ref.organizationId} and u.id = ${upload.id} and not u.abandoned
      returning 1)
    insert into attachment as a (organization_id, chat_id, id, file_name, media_type, size_bytes, sha256, object_key)
    select ${ref.organizationId}, ${ref.chatId}, ${ref.attachmentId}, ${fileName}, ${mediaType}, ${sizeBytes},
      ${sha256}, ${objectKeyOf(upload)}
    from ended
    returning ${ATTACHMENT_COLUMNS}`;
}

/** Keeps an upload from becoming an attachment; waits for a transaction that is making it one. */
export function abandonUpload({ organizationId, id }: Upload): Statement {
  return sql`update attachment_upload set abandoned = true where organization_id = ${organizationId} and id = ${id}`;
}

/** A row where an upload has become an attachment. */
export function attachmentOfUpload(upload: Upload): Statement {
  const { organizationId, chatId } = upload;
  return sql`
    select from attachment a
    where a.organization_id = ${organizationId} and a.chat_id = ${chatId} and a.object_key = ${objectKeyOf(upload)}`;
}

export function deleteUpload({ organizationId, id }: Upload): Statement {
  return sql`delete from attachment_upload where organization_id = ${organizationId} and id = ${id}`;
}

/** Uploads that one statement finds. */
export const STALE_UPLOADS_LIMIT = 100;

export type StaleUpload = Upload & { readonly begunAt: string };

/** The time within which every upload has ended. */
export const UPLOAD_TIME = sql.raw(`interval '${UPLOADS_END_MINUTES} minutes'`);

/** Uploads whose request is gone, oldest first, behind those found before. */
export function staleUploads(after: StaleUpload | undefined): Statement<StaleUpload> {
  const { begunAt = null, organizationId = FIRST_UUID, id = FIRST_UUID } = after ?? {};
  return sql`
    select u.organization_id as "organizationId", u.id, u.chat_id as "chatId", u.begun_at as "begunAt"
    from attachment_upload u join organization o on o.id = u.organization_id and o.status = 'active'
    where u.begun_at < now() - ${UPLOAD_TIME}
      and (u.begun_at, u.organization_id, u.id)
        > (coalesce(${begunAt}, '-infinity')::timestamptz, ${organizationId}::uuid, ${id}::uuid)
    order by u.begun_at, u.organization_id, u.id limit ${sql.raw(String(STALE_UPLOADS_LIMIT))}`;
}
