import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { MessageDto } from '../messages/message.dto.ts';
import { MESSAGE_FIELDS } from '../messages/messages.queries.ts';

/** How far a client has followed an answer; without a revision it needs the whole answer. */
export interface Seen {
  readonly messageId: string;
  readonly revision: number | null;
}

/** One append. */
export interface Delta {
  readonly revision: number;
  readonly partId: string;
  readonly offset: number;
  readonly text: string;
}

interface AnswerHistory {
  /** Appends of the message after the revision that was seen, as far as they are kept, in order. */
  readonly deltas: readonly Delta[] | null;
  /** Whether these appends are all changes since; the parts are then left out. */
  readonly bridged: boolean;
}
/**
 * An answer with its appends since it was seen, or the person's message that stands before an answer; all null for a chat
 * that has none yet.
 */
export type AnswerRow = AnswerHistory & (MessageDto | { readonly id: null });

/** Beyond this many appends a reader gets the message itself: 20 minutes of them at the usual pace of an answer. */
const MAX_BRIDGED = sql.raw(String(10_000));
/** No more messages than those of five answers come between two checks of a chat. */
const MAX_MESSAGES = sql`10`;

const select = columns<MessageDto & AnswerHistory>({
  ...MESSAGE_FIELDS,
  parts: sql`case when d.bridged then '[]'::jsonb else ${MESSAGE_FIELDS.parts} end`,
  deltas: 'd.deltas',
  bridged: 'd.bridged',
});

interface AnswersOf {
  readonly organizationId: string;
  readonly chatId: string;
  readonly seen: Seen | undefined;
}

/** The latest messages of a chat that `which` narrows, in their order, each answer with its appends since it was seen. */
function messages({ organizationId, chatId, seen }: AnswersOf, which: Sql, limit: Sql): Sql<AnswerRow> {
  const message = sql.value(seen?.messageId ?? null);
  const revision = sql.value(seen?.revision ?? null);
  return sql`
    select ${select}
    from chat c
    -- The messages.
    left join lateral (
      select m.* from message m
      where m.organization_id = c.organization_id and m.chat_id = c.id ${which}
      order by m.created_at desc, m.id desc limit ${limit}) m on true
    -- Appends to the one that was seen, as far as they are few and kept.
    left join lateral (
      select
        jsonb_agg(
          jsonb_build_object('revision', k.revision, 'partId', k.part_id, 'offset', k.part_offset, 'text', k.text)
          order by k.revision) as deltas,
        coalesce(m.id = ${message} and count(*) = m.revision - ${revision}::int, false) as bridged
      from message_chunk k
      where k.organization_id = m.organization_id and k.message_id = m.id and m.id = ${message}
        and k.revision > ${revision} and m.revision - ${revision} <= ${MAX_BRIDGED}) d on true
    where c.organization_id = ${organizationId} and c.id = ${chatId} and c.deleted_at is null
    order by m.created_at, m.id`;
}

/** The latest answer of a chat, with its appends since if it is the one that was seen. No row without the chat. */
export function latestAnswer(organizationId: string, chatId: string, seen: Seen | undefined): Statement<AnswerRow> {
  return messages({ organizationId, chatId, seen }, sql`and m.role = 'assistant'`, sql`1`);
}

/** The latest answer of a chat behind the message that it is for. No row without the chat. */
export function latestExchange(organizationId: string, chatId: string): Statement<AnswerRow> {
  return messages({ organizationId, chatId, seen: undefined }, sql``, sql`2`);
}

/** The answer that was seen, with its appends since, and the messages after it. No row without the chat. */
export function answersSince(organizationId: string, chatId: string, seen: Seen): Statement<AnswerRow> {
  const since = sql`and (m.created_at, m.id) >= (
        select s.created_at, s.id from message s
        where s.organization_id = ${organizationId} and s.id = ${seen.messageId})`;
  return messages({ organizationId, chatId, seen }, since, MAX_MESSAGES);
}

/** A chat as a process knows it: its latest answer, and the revision of that. */
interface FollowedChat {
  readonly organizationId: string;
  readonly chatId: string;
  readonly messageId: string | null;
  readonly revision: number;
}

/** A chat that is not as the process knew it. */
export interface ChangedChat {
  /** Which one, counted from 1. */
  readonly place: number;
  readonly gone: boolean;
  readonly messageId: string | null;
  readonly revision: number | null;
}

/** Those chats, of any organization, that were deleted or whose latest answer has moved on. For the dispatch role. */
export function changedChats(chats: readonly FollowedChat[]): Statement<ChangedChat> {
  return sql`
    select w.place::int as place, c.id is null as gone, m.id as "messageId", m.revision
    from unnest(${chats.map(({ organizationId }) => organizationId)}::uuid[],
        ${chats.map(({ chatId }) => chatId)}::uuid[], ${chats.map(({ messageId }) => messageId)}::uuid[],
        ${chats.map(({ revision }) => revision)}::int[])
      with ordinality w(organization_id, chat_id, message_id, revision, place)
    left join chat c on c.organization_id = w.organization_id and c.id = w.chat_id and c.deleted_at is null
    left join lateral (
      select m.id, m.revision from message m
      where m.organization_id = c.organization_id and m.chat_id = c.id and m.role = 'assistant'
      order by m.created_at desc, m.id desc limit 1) m on true
    where c.id is null or m.id is distinct from w.message_id or m.revision > w.revision`;
}
