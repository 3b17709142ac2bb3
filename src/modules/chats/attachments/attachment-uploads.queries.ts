import { type Statement, statement } from '../../../kernel/database/index.ts';
import type { StoredBytes } from '../../../kernel/storage/index.ts';
import type { AttachmentDto } from './attachment.dto.ts';
import { attachmentFolder } from './attachment.entity.ts';
import { UPLOADS_END_MINUTES } from './attachment.policy.ts';
import { ATTACHMENT_COLUMNS, type AttachmentRef } from './attachments.queries.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';

/** One upload: its bytes are where no other upload writes, also under the same attachment. */
export interface Upload {
  readonly organizationId: string;
  readonly id: string;
  readonly chatId: string;
}

export function objectKeyOf({ organizationId, chatId, id }: Upload): string {
  return `${attachmentFolder(organizationId, chatId)}/${id}`;
}

export function beginUpload({ organizationId, id, chatId }: Upload): Statement {
  return statement(
    `insert into attachment_upload (organization_id, id, chat_id) values ($1, $2, $3)`,
    organizationId,
    id,
    chatId,
  );
}

/** What an owner calls a file. */
export interface FileNames {
  readonly fileName: string;
  readonly mediaType: string;
}

export type NewFile = FileNames & StoredBytes;

/** Makes an upload the attachment; no row where its bytes have been given up. */
export function insertAttachment(ref: AttachmentRef, upload: Upload, file: NewFile): Statement<AttachmentDto> {
  return statement(
    `with ended as (
       delete from attachment_upload u where u.organization_id = $1 and u.id = $2 and not u.abandoned returning 1)
     insert into attachment as a (organization_id, chat_id, id, file_name, media_type, size_bytes, sha256, object_key)
     select $1, $3, $4, $5, $6, $7, $8, $9 from ended returning ${ATTACHMENT_COLUMNS}`,
    ref.organizationId,
    upload.id,
    ref.chatId,
    ref.attachmentId,
    file.fileName,
    file.mediaType,
    file.sizeBytes,
    file.sha256,
    objectKeyOf(upload),
  );
}

/** From here on an upload becomes no attachment. Waits for a transaction that is making it one. */
export function abandonUpload({ organizationId, id }: Upload): Statement {
  return statement(
    `update attachment_upload set abandoned = true where organization_id = $1 and id = $2`,
    organizationId,
    id,
  );
}

/** A row where an upload has become an attachment. */
export function attachmentOfUpload(upload: Upload): Statement {
  return statement(
    `select from attachment a where a.organization_id = $1 and a.chat_id = $2 and a.object_key = $3`,
    upload.organizationId,
    upload.chatId,
    objectKeyOf(upload),
  );
}

export function deleteUpload({ organizationId, id }: Upload): Statement {
  return statement(`delete from attachment_upload where organization_id = $1 and id = $2`, organizationId, id);
}

/** Uploads that one statement finds. */
export const STALE_UPLOADS_LIMIT = 100;

export type StaleUpload = Upload & { readonly begunAt: string };

/** Uploads that nobody carries on with, oldest first, behind those found before. */
export function staleUploads(after: StaleUpload | undefined): Statement<StaleUpload> {
  return statement(
    `select u.organization_id as "organizationId", u.id, u.chat_id as "chatId", u.begun_at as "begunAt"
     from attachment_upload u join organization o on o.id = u.organization_id and o.status = 'active'
     where u.begun_at < now() - interval '${UPLOADS_END_MINUTES} minutes'
       and (u.begun_at, u.organization_id, u.id) > (coalesce($1, '-infinity')::timestamptz, $2::uuid, $3::uuid)
     order by u.begun_at, u.organization_id, u.id limit ${STALE_UPLOADS_LIMIT}`,
    after?.begunAt ?? null,
    after?.organizationId ?? FIRST_UUID,
    after?.id ?? FIRST_UUID,
  );
}
