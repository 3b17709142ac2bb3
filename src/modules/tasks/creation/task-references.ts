import { statement, type Tx } from '../../../kernel/database/index.ts';
import type { Directory, OwnerProfile } from './new-task.ts';
import type { AttachmentInputDto } from './task-creation.dto.ts';
import { parseTaskRef } from '../task-ref.ts';

/** Ids of tasks by the references that name them, as `TaskRef` spells those. Nothing is locked. */
export async function readTaskIds(
  tx: Tx,
  organizationId: string,
  refs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const parsed = refs.flatMap((ref) => parseTaskRef(ref) ?? []);
  if (parsed.length === 0) return new Map();
  const identifiers = parsed.flatMap((ref) => ('scope' in ref ? [ref] : []));
  const rows = await tx.rows(
    statement<{ id: string; identifier: string }>(
      `select t.id, t.identifier_scope || '-' || t.identifier_number as identifier from task t
       where t.organization_id = $1 and t.id = any($2::uuid[])
       union
       select t.id, t.identifier_scope || '-' || t.identifier_number
       from unnest($3::text[], $4::int[]) named(scope, number) join task t
         on t.organization_id = $1 and t.identifier_scope = named.scope and t.identifier_number = named.number`,
      organizationId,
      parsed.flatMap((ref) => ('id' in ref ? [ref.id] : [])),
      identifiers.map(({ scope }) => scope),
      identifiers.map(({ number }) => number),
    ),
  );
  return new Map(rows.flatMap(({ id, identifier }) => [[id, id] as const, [identifier, id] as const]));
}

/** Profiles that are not deleted, by id and by key: those that are named, and the operator. */
export async function readOwners(
  tx: Tx,
  organizationId: string,
  named: readonly string[],
): Promise<ReadonlyMap<string, OwnerProfile>> {
  const rows = await tx.rows(
    statement<OwnerProfile>(
      `select p.id, p.key, p.department from agent_profile p
       where p.organization_id = $1 and p.deleted_at is null and (p.id::text = any($2::text[]) or p.key = any($2::text[]))`,
      organizationId,
      ['operator', ...named],
    ),
  );
  return new Map(rows.flatMap((profile) => [[profile.id, profile] as const, [profile.key, profile] as const]));
}

/** Tells of inputs that name attachments which of them lead nowhere. */
export async function readAttachments(
  tx: Tx,
  organizationId: string,
  named: readonly AttachmentInputDto[],
): Promise<Directory['missing']> {
  const rows =
    named.length === 0
      ? []
      : await tx.rows(
          statement<{ chatId: string; attachmentId: string | null }>(
            `select c.id as "chatId", a.id as "attachmentId"
             from unnest($2::uuid[], $3::uuid[]) named(chat_id, id)
             join chat c on c.organization_id = $1 and c.id = named.chat_id and c.deleted_at is null
             left join attachment a on a.organization_id = $1 and a.chat_id = c.id and a.id = named.id`,
            organizationId,
            named.map(({ chatId }) => chatId),
            named.map(({ attachmentId }) => attachmentId),
          ),
        );
  return ({ chatId, attachmentId }) => {
    const ofChat = rows.filter((row) => row.chatId === chatId);
    if (ofChat.length === 0) return 'chat';
    return ofChat.some((row) => row.attachmentId === attachmentId) ? undefined : 'attachment';
  };
}
