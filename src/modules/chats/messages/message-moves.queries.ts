import { type Statement, statement } from '../../../kernel/database/index.ts';
import type { MessageDto } from './message.dto.ts';
import { isActive, type MessageAuthor, type MessagePart, moved, permits } from './message.state.ts';
import { MESSAGE_COLUMNS } from './messages.queries.ts';

/** Moves by owners, of messages in a chat that the transaction has locked. */

/** Whether an answer of the chat is under way. */
export function hasActiveTurn(organizationId: string, chatId: string): Statement<{ active: boolean }> {
  return statement(
    `select exists (select from message m
       where m.organization_id = $1 and m.chat_id = $2 and ${isActive('m.status')}) as active`,
    organizationId,
    chatId,
  );
}

/** The profile that answers in chats; none while it is disabled. */
export function answeringProfile(organizationId: string): Statement<{ id: string }> {
  return statement(
    `select p.id from agent_profile p
     where p.organization_id = $1 and p.kind = 'chat' and p.status = 'enabled' and p.deleted_at is null`,
    organizationId,
  );
}

interface NewMessage {
  readonly id: string;
  readonly author: MessageAuthor;
  readonly parts: readonly MessagePart[];
}

export function insertUserMessage(
  organizationId: string,
  chatId: string,
  { id, author, parts }: NewMessage,
): Statement<MessageDto> {
  return statement(
    `insert into message as m
       (organization_id, id, chat_id, role, status, author, parts, completed_at, created_at, updated_at)
     select $1::uuid, $2::uuid, $3::uuid, 'user', 'complete', $4::jsonb, $5::jsonb, now.at, now.at, now.at
     from clock_timestamp() now(at) returning ${MESSAGE_COLUMNS}`,
    organizationId,
    id,
    chatId,
    JSON.stringify(author),
    JSON.stringify(parts),
  );
}

interface NewAnswer {
  readonly id: string;
  readonly replyToMessageId: string;
  readonly agentProfileId: string;
}

/** The answer that a message asks for: a turn to be claimed. */
export function insertAnswer(
  organizationId: string,
  chatId: string,
  { id, replyToMessageId, agentProfileId }: NewAnswer,
): Statement<MessageDto> {
  return statement(
    `insert into message as m
       (organization_id, id, chat_id, reply_to_message_id, role, status, agent_profile_id, created_at, updated_at)
     select $1::uuid, $2::uuid, $3::uuid, $4::uuid, 'assistant', 'pending', $5::uuid, now.at, now.at
     from clock_timestamp() now(at) returning ${MESSAGE_COLUMNS}`,
    organizationId,
    id,
    chatId,
    replyToMessageId,
    agentProfileId,
  );
}

/** Sets when the newest message of a chat came. */
export function setLastMessage(organizationId: string, chatId: string, messageId: string): Statement {
  return statement(
    `update chat c set last_message_at = m.created_at, updated_at = m.created_at from message m
     where c.organization_id = $1 and c.id = $2 and m.organization_id = c.organization_id and m.id = $3`,
    organizationId,
    chatId,
    messageId,
  );
}

export function messageInChat(organizationId: string, chatId: string, id: string): Statement<MessageDto> {
  return statement(
    `select ${MESSAGE_COLUMNS} from message m where m.organization_id = $1 and m.chat_id = $2 and m.id = $3`,
    organizationId,
    chatId,
    id,
  );
}

/** Asks for the end of a turn, once. */
export function requestCancel(organizationId: string, chatId: string, id: string): Statement<{ id: string }> {
  return statement(
    `update message m set status = ${moved('cancel', 'm.status')}, cancel_requested_at = clock_timestamp(),
       revision = m.revision + 1, updated_at = clock_timestamp()
     where m.organization_id = $1 and m.chat_id = $2 and m.id = $3 and ${permits('cancel', 'm.status')}
       and m.cancel_requested_at is null
     returning m.id`,
    organizationId,
    chatId,
    id,
  );
}

/** Ends the turn of a chat that is being deleted, whoever holds it: no call under its lease passes any more. */
export function discardTurn(organizationId: string, chatId: string): Statement {
  return statement(
    `update message m set status = ${moved('discard', 'm.status')}, leased = false, lease_token_hash = null,
       lease_expires_at = null, completed_at = clock_timestamp(), revision = m.revision + 1, updated_at = clock_timestamp()
     where m.organization_id = $1 and m.chat_id = $2 and ${permits('discard', 'm.status')}`,
    organizationId,
    chatId,
  );
}
