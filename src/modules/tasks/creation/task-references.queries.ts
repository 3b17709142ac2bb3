import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { OwnerProfile } from './new-task.ts';
import type { AttachmentInputDto } from '../task-input.dto.ts';

/** Tasks by their ids, and by their identifiers. */
export function namedTasks(
  organizationId: string,
  ids: readonly string[],
  identifiers: readonly { readonly scope: string; readonly number: number }[],
): Statement<{ id: string; identifier: string }> {
  const organization = sql.value(organizationId);
  const scopes = identifiers.map(({ scope }) => scope);
  const numbers = identifiers.map(({ number }) => number);
  return sql`
    select t.id, t.identifier_scope || '-' || t.identifier_number as identifier from task t
    where t.organization_id = ${organization} and t.id = any(${ids}::uuid[])
    union
    select t.id, t.identifier_scope || '-' || t.identifier_number
    from unnest(${scopes}::text[], ${numbers}::int[]) named(scope, number) join task t
      on t.organization_id = ${organization} and t.identifier_scope = named.scope
        and t.identifier_number = named.number`;
}

/** Profiles that are not deleted, by their ids or keys. */
export function namedProfiles(organizationId: string, idsOrKeys: readonly string[]): Statement<OwnerProfile> {
  const named = sql.value(idsOrKeys);
  return sql`
    select p.id, p.key, p.department from agent_profile p
    where p.organization_id = ${organizationId} and p.deleted_at is null
      and (p.id::text = any(${named}::text[]) or p.key = any(${named}::text[]))`;
}

/** Chats that are not deleted and that inputs name, each with the attachment that is named of it, if it is there. */
export function namedAttachments(
  organizationId: string,
  named: readonly AttachmentInputDto[],
): Statement<{ chatId: string; attachmentId: string | null }> {
  const organization = sql.value(organizationId);
  const chatIds = named.map(({ chatId }) => chatId);
  const attachmentIds = named.map(({ attachmentId }) => attachmentId);
  return sql`
    select c.id as "chatId", a.id as "attachmentId"
    from unnest(${chatIds}::uuid[], ${attachmentIds}::uuid[]) named(chat_id, id)
    join chat c on c.organization_id = ${organization} and c.id = named.chat_id and c.deleted_at is null
    left join attachment a on a.organization_id = ${organization} and a.chat_id = c.id and a.id = named.id`;
}
