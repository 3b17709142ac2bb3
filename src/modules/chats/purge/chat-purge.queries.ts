import { type Statement, statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { UPLOADS_END_MINUTES } from '../attachments/attachment.policy.ts';
import type { ChatRemoval, ChatRef } from './chat-contents.port.ts';

export interface DeletedChat extends ChatRef {
  readonly deletedAt: string;
}

/** Chats that one statement finds. */
export const DELETED_CHATS_LIMIT = 100;
/** Rows that one statement removes. */
export const PURGED_ROWS_LIMIT = 1_000;

/** Deleted chats that no upload is under way to any more, longest deleted first, behind those found before. */
export function deletedChats(after: DeletedChat | undefined): Statement<DeletedChat> {
  return statement(
    `select c.organization_id as "organizationId", c.id, c.deleted_at as "deletedAt"
     from chat c join organization o on o.id = c.organization_id and o.status = 'active'
     where c.deleted_at < now() - interval '${UPLOADS_END_MINUTES} minutes'
       and (c.deleted_at, c.organization_id, c.id) > (coalesce($1, '-infinity')::timestamptz, $2::uuid, $3::uuid)
     order by c.deleted_at, c.organization_id, c.id limit ${DELETED_CHATS_LIMIT}`,
    after?.deletedAt ?? null,
    after?.organizationId ?? FIRST_UUID,
    after?.id ?? FIRST_UUID,
  );
}

/** Of rows `d` of a table. */
function removal(table: string, from: string): ChatRemoval {
  return ({ organizationId, id }, limit) =>
    statement(
      `delete from ${table} where ctid in (select d.ctid from ${from} limit $3) returning 1`,
      organizationId,
      id,
      limit,
    );
}

/** What is in a chat, children first. */
export const CONTENT_REMOVALS: readonly ChatRemoval[] = [
  removal(
    'message_chunk',
    `message m join message_chunk d on d.organization_id = m.organization_id and d.message_id = m.id
     where m.organization_id = $1 and m.chat_id = $2`,
  ),
  removal('message', `message d where d.organization_id = $1 and d.chat_id = $2`),
  removal('attachment', `attachment d where d.organization_id = $1 and d.chat_id = $2`),
  removal('attachment_upload', `attachment_upload d where d.organization_id = $1 and d.chat_id = $2`),
];

export function removeChat({ organizationId, id }: DeletedChat): Statement {
  return statement(
    `delete from chat where organization_id = $1 and id = $2 and deleted_at is not null`,
    organizationId,
    id,
  );
}
