import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { UPLOAD_TIME } from '../../../kernel/uploads/index.ts';
import type { ChatRemoval, ChatRef } from './chat-contents.port.ts';

export interface DeletedChat extends ChatRef {
  readonly deletedAt: string;
}

/** Chats that one statement finds. */
export const DELETED_CHATS_LIMIT = 100;
/** Rows that one statement removes. */
export const PURGED_ROWS_LIMIT = 1_000;

/** Deleted chats to which no upload can be under way any more, longest deleted first, behind those found before. */
export function deletedChats(after: DeletedChat | undefined): Statement<DeletedChat> {
  const { deletedAt = null, organizationId = FIRST_UUID, id = FIRST_UUID } = after ?? {};
  return sql`
    select c.organization_id as "organizationId", c.id, c.deleted_at as "deletedAt"
    from chat c join organization o on o.id = c.organization_id and o.status = 'active'
    where c.deleted_at < now() - ${UPLOAD_TIME}
      and (c.deleted_at, c.organization_id, c.id)
        > (coalesce(${deletedAt}, '-infinity')::timestamptz, ${organizationId}::uuid, ${id}::uuid)
    order by c.deleted_at, c.organization_id, c.id limit ${sql.raw(String(DELETED_CHATS_LIMIT))}`;
}

/**
 * Removes rows of a table by its primary key, of those that `rows` finds as `d`. The limit is in the text: a plan that
 * does not know it may walk the whole table.
 */
function removal(
  table: string,
  key: readonly string[],
  rows: (organizationId: Sql, chatId: string) => Sql,
): ChatRemoval {
  const found = sql.raw(key.map((column) => `d.${column}`).join(', '));
  const same = sql.raw(key.map((column) => `t.${column} = gone.${column}`).join(' and '));
  return ({ organizationId, id }, limit) => {
    const organization = sql.value(organizationId);
    return sql`
      delete from ${sql.raw(table)} t
      using (select ${found} from ${rows(organization, id)} limit ${sql.raw(String(limit))}) gone
      where t.organization_id = ${organization} and ${same}
      returning 1`;
  };
}

/** What a chat contains, children first. */
export const CONTENT_REMOVALS: readonly ChatRemoval[] = [
  removal(
    'message_chunk',
    ['message_id', 'draft', 'part_id', 'part_offset'],
    (organizationId, chatId) => sql`
      message m join message_chunk d on d.organization_id = m.organization_id and d.message_id = m.id
      where m.organization_id = ${organizationId} and m.chat_id = ${chatId}`,
  ),
  removal(
    'message',
    ['id'],
    (organizationId, chatId) => sql`message d where d.organization_id = ${organizationId} and d.chat_id = ${chatId}`,
  ),
  removal(
    'attachment',
    ['chat_id', 'id'],
    (organizationId, chatId) => sql`attachment d where d.organization_id = ${organizationId} and d.chat_id = ${chatId}`,
  ),
  removal(
    'attachment_upload',
    ['id'],
    (organizationId, chatId) =>
      sql`attachment_upload d where d.organization_id = ${organizationId} and d.chat_id = ${chatId}`,
  ),
];

export function removeChat({ organizationId, id }: DeletedChat): Statement {
  return sql`delete from chat where organization_id = ${organizationId} and id = ${id} and deleted_at is not null`;
}
