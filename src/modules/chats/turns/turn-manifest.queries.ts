import { type Statement, statement } from '../../../kernel/database/index.ts';
import type { AttachmentDto } from '../attachments/attachment.dto.ts';
import { ATTACHMENT_COLUMNS } from '../attachments/attachments.queries.ts';
import type { ChatDto } from '../chat.dto.ts';
import { CHAT_COLUMNS } from '../chats.queries.ts';
import type { MessageDto } from '../messages/message.dto.ts';
import { MESSAGE_COLUMNS } from '../messages/messages.queries.ts';

/** How much of a chat a manifest shows. */
const MAX_MESSAGES = 50;
const MAX_ATTACHMENTS = 200;
const MAX_TEXT_BYTES = 1024 * 1024;

export interface TurnFacts {
  /** Which attempt it is. */
  readonly attempt: number;
  readonly issuedAt: string;
}

/** `turn`, a message of its organization, by id. */
const TURN = `message turn where turn.organization_id = $1 and turn.id = $2`;
const ITS_CHAT = `(select turn.chat_id from ${TURN})`;

export function turnFacts(organizationId: string, turnId: string): Statement<TurnFacts> {
  return statement(
    `select turn.attempt + (turn.status = 'pending')::int as attempt, clock_timestamp() as "issuedAt" from ${TURN}`,
    organizationId,
    turnId,
  );
}

/** What a turn is pinned to, for `pinnedProfile`. */
export function pinOfTurn(organizationId: string, turnId: string): Statement {
  return statement(
    `select turn.organization_id, turn.agent_profile_id, turn.catalog_revision from ${TURN}`,
    organizationId,
    turnId,
  );
}

export function chatAroundTurn(organizationId: string, turnId: string): Statement<ChatDto> {
  return statement(
    `select ${CHAT_COLUMNS} from chat c where c.organization_id = $1 and c.id = ${ITS_CHAT}`,
    organizationId,
    turnId,
  );
}

/** The latest messages of the chat, the turn's own among them, in their order; no more of them than a manifest could hold. */
export function messagesAroundTurn(organizationId: string, turnId: string): Statement<MessageDto> {
  return statement(
    `select ${MESSAGE_COLUMNS}
     from (select latest.id, sum(latest.bytes) over (order by latest.created_at desc, latest.id desc) - latest.bytes as behind
           from (select l.id, l.created_at, octet_length(l.parts::text) as bytes from message l
                 where l.organization_id = $1 and l.chat_id = ${ITS_CHAT}
                 order by l.created_at desc, l.id desc limit ${MAX_MESSAGES}) latest) shown
     join message m on m.organization_id = $1 and m.id = shown.id
     where shown.behind <= ${MAX_TEXT_BYTES} order by m.created_at, m.id`,
    organizationId,
    turnId,
  );
}

/** The latest attachments of the chat, the latest first. */
export function attachmentsAroundTurn(organizationId: string, turnId: string): Statement<AttachmentDto> {
  return statement(
    `select ${ATTACHMENT_COLUMNS} from attachment a where a.organization_id = $1 and a.chat_id = ${ITS_CHAT}
     order by a.created_at desc, a.id desc limit ${MAX_ATTACHMENTS}`,
    organizationId,
    turnId,
  );
}
