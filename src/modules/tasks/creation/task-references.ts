import type { Tx } from '../../../kernel/database/index.ts';
import type { Directory, OwnerProfile } from './new-task.ts';
import type { AttachmentInputDto } from '../task-input.dto.ts';
import { namedAttachments, namedProfiles, namedTasks } from './task-references.queries.ts';
import { parseTaskRef } from '../task-ref.ts';

/** Reads ids of tasks by the references that name them, as `TaskRef` spells those. Locks nothing. */
export async function readTaskIds(tx: Tx, refs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const parsed = refs.flatMap((ref) => parseTaskRef(ref) ?? []);
  if (parsed.length === 0) return new Map();
  const identifiers = parsed.flatMap((ref) => ('scope' in ref ? [ref] : []));
  const ids = parsed.flatMap((ref) => ('id' in ref ? [ref.id] : []));
  const rows = await tx.rows(namedTasks(tx.organizationId, ids, identifiers));
  return new Map(rows.flatMap(({ id, identifier }) => [[id, id] as const, [identifier, id] as const]));
}

/** Reads the profiles that are named, and the operator, by id and by key; deleted ones are left out. */
export async function readOwners(tx: Tx, named: readonly string[]): Promise<ReadonlyMap<string, OwnerProfile>> {
  const rows = await tx.rows(namedProfiles(tx.organizationId, ['operator', ...named]));
  return new Map(rows.flatMap((profile) => [[profile.id, profile] as const, [profile.key, profile] as const]));
}

/** Reads what inputs name of attachments; the answer tells which part of one is missing. */
export async function readAttachments(tx: Tx, named: readonly AttachmentInputDto[]): Promise<Directory['missing']> {
  const rows = named.length === 0 ? [] : await tx.rows(namedAttachments(tx.organizationId, named));
  return ({ chatId, attachmentId }) => {
    const ofChat = rows.filter((row) => row.chatId === chatId);
    if (ofChat.length === 0) return 'chat';
    return ofChat.some((row) => row.attachmentId === attachmentId) ? undefined : 'attachment';
  };
}
