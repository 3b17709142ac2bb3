import { columns, type Statement, statement } from '../../../kernel/database/index.ts';
import type { MessageDto } from '../messages/message.dto.ts';
import { MESSAGE_FIELDS } from '../messages/messages.queries.ts';

/** How far somebody has followed an answer; without a revision, that everything of it is wanted anew. */
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
  /** They are all that happened since; the parts are then left out. */
  readonly bridged: boolean;
}
/** An answer with what happened to it since; all null for a chat that has none yet. */
export type AnswerRow = AnswerHistory & (MessageDto | { readonly id: null });

/** More appends than these are told by the message as it is: a third of an hour's, as an answer usually comes. */
const MAX_BRIDGED = 10_000;
/** More answers than these do not come between two looks at a chat. */
const MAX_ANSWERS = 5;

const select = columns<MessageDto & AnswerHistory>({
  ...MESSAGE_FIELDS,
  parts: `case when d.bridged then '[]'::jsonb else ${MESSAGE_FIELDS.parts} end`,
  deltas: 'd.deltas',
  bridged: 'd.bridged',
});

const answers = (which: string, limit: number) => `
  select ${select}
  from chat c
  left join lateral (
    select m.* from message m
    where m.organization_id = c.organization_id and m.chat_id = c.id and m.role = 'assistant' ${which}
    order by m.created_at desc, m.id desc limit ${limit}) m on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('revision', k.revision, 'partId', k.part_id, 'offset', k.part_offset, 'text', k.text)
             order by k.revision) as deltas,
           coalesce(m.id = $3 and count(*) = m.revision - $4::int, false) as bridged
    from message_chunk k
    where k.organization_id = m.organization_id and k.message_id = m.id and m.id = $3 and k.revision > $4
      and m.revision - $4 <= ${MAX_BRIDGED}) d on true
  where c.organization_id = $1 and c.id = $2 and c.deleted_at is null
  order by m.created_at, m.id`;

const LATEST = answers('', 1);
const SINCE = answers(
  `and (m.created_at, m.id) >= (select s.created_at, s.id from message s where s.organization_id = $1 and s.id = $3)`,
  MAX_ANSWERS,
);

/** The latest answer of a chat, with what happened since where it is the one that was seen. No row without the chat. */
export function latestAnswer(organizationId: string, chatId: string, seen: Seen | undefined): Statement<AnswerRow> {
  return statement(LATEST, organizationId, chatId, seen?.messageId ?? null, seen?.revision ?? null);
}

/** The answer that was seen, with what happened since, and those after it. No row without the chat. */
export function answersSince(organizationId: string, chatId: string, seen: Seen): Statement<AnswerRow> {
  return statement(SINCE, organizationId, chatId, seen.messageId, seen.revision);
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
  return statement(
    `select w.place::int as place, c.id is null as gone, m.id as "messageId", m.revision
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[]) with ordinality w(organization_id, chat_id, message_id, revision, place)
     left join chat c on c.organization_id = w.organization_id and c.id = w.chat_id and c.deleted_at is null
     left join lateral (
       select m.id, m.revision from message m
       where m.organization_id = c.organization_id and m.chat_id = c.id and m.role = 'assistant'
       order by m.created_at desc, m.id desc limit 1) m on true
     where c.id is null or m.id is distinct from w.message_id or m.revision > w.revision`,
    chats.map(({ organizationId }) => organizationId),
    chats.map(({ chatId }) => chatId),
    chats.map(({ messageId }) => messageId),
    chats.map(({ revision }) => revision),
  );
}

/** By what somebody was let into an organization. */
export interface Access {
  readonly organizationId: string;
  readonly subject: string;
  /** Null for the bootstrap token. */
  readonly tokenId: string | null;
}

/** Places, counted from 1, of those that would not be let in any more. For the dispatch role. */
export function lostAccesses(accesses: readonly Access[]): Statement<{ place: number }> {
  return statement(
    `select place from owner_access_lost($1::uuid[], $2::text[], $3::uuid[]) place`,
    accesses.map(({ organizationId }) => organizationId),
    accesses.map(({ subject }) => subject),
    accesses.map(({ tokenId }) => tokenId),
  );
}
