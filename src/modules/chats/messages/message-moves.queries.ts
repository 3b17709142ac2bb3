import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { Scope } from '../../../kernel/principals/index.ts';
import type { MessageDto } from './message.dto.ts';
import { isActive, type MessageAuthor, type MessagePart, POSTED_STATUS, turnMoves } from './message.state.ts';
import { MESSAGE_COLUMNS } from './messages.queries.ts';

const IS_ACTIVE = sql.raw(isActive('m.status'));
const USER_STATUS = sql.raw(`'${POSTED_STATUS.user}'`);
const ANSWER_STATUS = sql.raw(`'${POSTED_STATUS.assistant}'`);
const CANCEL = {
  permitted: sql.raw(turnMoves.permits('cancel', 'm.status')),
  status: sql.raw(turnMoves.moved('cancel', 'm.status')),
};
const DISCARD = {
  permitted: sql.raw(turnMoves.permits('discard', 'm.status')),
  status: sql.raw(turnMoves.moved('discard', 'm.status')),
};

/** Moves by owners, of messages in a chat that the transaction has locked. */

/** Whether an answer of the chat is under way. */
export function hasActiveTurn(organizationId: string, chatId: string): Statement<{ active: boolean }> {
  return sql`
    select exists (select from message m
      where m.organization_id = ${organizationId} and m.chat_id = ${chatId} and ${IS_ACTIVE}) as active`;
}

/** The profile that answers in chats; none while it is disabled. */
export function answeringProfile(organizationId: string): Statement<{ id: string }> {
  return sql`
    select p.id from agent_profile p
    where p.organization_id = ${organizationId} and p.kind = 'chat' and p.status = 'enabled' and p.deleted_at is null`;
}

interface NewMessage {
  readonly id: string;
  readonly author: MessageAuthor;
  readonly scopes: readonly Scope[];
  readonly parts: readonly MessagePart[];
}

export function insertUserMessage(
  organizationId: string,
  chatId: string,
  { id, author, scopes, parts }: NewMessage,
): Statement<MessageDto> {
  return sql`
    insert into message as m
      (organization_id, id, chat_id, role, status, author, scopes, parts, completed_at, created_at, updated_at)
    select ${organizationId}::uuid, ${id}::uuid, ${chatId}::uuid, 'user', ${USER_STATUS},
      ${JSON.stringify(author)}::jsonb, ${scopes}::text[], ${JSON.stringify(parts)}::jsonb, now.at, now.at, now.at
    from clock_timestamp() now(at)
    returning ${MESSAGE_COLUMNS}`;
}

interface NewAnswer {
  readonly id: string;
  readonly replyToMessageId: string;
  readonly agentProfileId: string;
}

/** Writes the answer to a message: a turn that waits for a claim. */
export function insertAnswer(
  organizationId: string,
  chatId: string,
  { id, replyToMessageId, agentProfileId }: NewAnswer,
): Statement<MessageDto> {
  return sql`
    insert into message as m
      (organization_id, id, chat_id, reply_to_message_id, role, status, agent_profile_id, created_at, updated_at)
    select ${organizationId}::uuid, ${id}::uuid, ${chatId}::uuid, ${replyToMessageId}::uuid, 'assistant',
      ${ANSWER_STATUS}, ${agentProfileId}::uuid, now.at, now.at
    from clock_timestamp() now(at)
    returning ${MESSAGE_COLUMNS}`;
}

/** Sets when the newest message of a chat came. */
export function setLastMessage(organizationId: string, chatId: string, messageId: string): Statement {
  return sql`
    update chat c set last_message_at = m.created_at, updated_at = m.created_at from message m
    where c.organization_id = ${organizationId} and c.id = ${chatId}
      and m.organization_id = c.organization_id and m.id = ${messageId}`;
}

export function messageInChat(organizationId: string, chatId: string, id: string): Statement<MessageDto> {
  return sql`
    select ${MESSAGE_COLUMNS} from message m
    where m.organization_id = ${organizationId} and m.chat_id = ${chatId} and m.id = ${id}`;
}

/** Requests the end of a turn; a repeat changes nothing and answers no row. */
export function requestCancel(organizationId: string, chatId: string, id: string): Statement<{ id: string }> {
  return sql`
    update message m set status = ${CANCEL.status}, cancel_requested_at = clock_timestamp(), revision = m.revision + 1,
      updated_at = clock_timestamp()
    where m.organization_id = ${organizationId} and m.chat_id = ${chatId} and m.id = ${id} and ${CANCEL.permitted}
      and m.cancel_requested_at is null
    returning m.id`;
}

/** Ends the turn of a chat that is being deleted; from then on its worker's calls fail, its lease being gone. */
export function discardTurn(organizationId: string, chatId: string): Statement {
  return sql`
    update message m set status = ${DISCARD.status}, leased = false, lease_token_hash = null, lease_expires_at = null,
      former_token_hash = m.lease_token_hash,
      completed_at = clock_timestamp(), revision = m.revision + 1, updated_at = clock_timestamp()
    where m.organization_id = ${organizationId} and m.chat_id = ${chatId} and ${DISCARD.permitted}`;
}
