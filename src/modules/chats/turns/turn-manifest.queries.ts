import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { AttachmentDto } from '../attachments/attachment.dto.ts';
import { ATTACHMENT_COLUMNS } from '../attachments/attachments.queries.ts';
import type { ChatDto } from '../chat.dto.ts';
import { chatColumns } from '../chats.queries.ts';
import type { MessageDto } from '../messages/message.dto.ts';
import { MESSAGE_COLUMNS } from '../messages/messages.queries.ts';

/** How much of a chat a manifest shows. */
const MAX_MESSAGES = sql`50`;
const MAX_ATTACHMENTS = sql`200`;
const MAX_TEXT_BYTES = sql.raw(String(1024 * 1024));

export interface TurnFacts {
  readonly attempt: number;
  readonly issuedAt: string;
}

/** `turn`, a message of its organization, by id. */
function turnById(organizationId: string, turnId: string): Sql {
  return sql`message turn where turn.organization_id = ${organizationId} and turn.id = ${turnId}`;
}

/** The chat of a turn. */
export function chatOfTurn(organizationId: string, turnId: string): Sql {
  return sql`(select turn.chat_id from ${turnById(organizationId, turnId)})`;
}

export function turnFacts(organizationId: string, turnId: string): Statement<TurnFacts> {
  return sql`
    select turn.attempt + (turn.status = 'pending')::int as attempt, clock_timestamp() as "issuedAt"
    from ${turnById(organizationId, turnId)}`;
}

/** The profile and catalog revision that a turn is pinned to, for `pinnedProfile`. */
export function pinOfTurn(organizationId: string, turnId: string): Sql {
  return sql`
    select turn.organization_id, turn.agent_profile_id, turn.catalog_revision
    from ${turnById(organizationId, turnId)}`;
}

export function chatAroundTurn(organizationId: string, turnId: string): Statement<ChatDto> {
  return sql`
    select ${chatColumns(organizationId)} from chat c
    where c.organization_id = ${organizationId} and c.id = ${chatOfTurn(organizationId, turnId)}`;
}

/** The latest messages of the chat in their order, the turn's own among them; no more than a manifest could hold. */
export function messagesAroundTurn(organizationId: string, turnId: string): Statement<MessageDto> {
  return sql`
    select ${MESSAGE_COLUMNS}
    from (select latest.id,
            sum(latest.bytes) over (order by latest.created_at desc, latest.id desc) - latest.bytes as behind
          from (select l.id, l.created_at, octet_length(l.parts::text) as bytes from message l
                where l.organization_id = ${organizationId} and l.chat_id = ${chatOfTurn(organizationId, turnId)}
                order by l.created_at desc, l.id desc limit ${MAX_MESSAGES}) latest) shown
    join message m on m.organization_id = ${organizationId} and m.id = shown.id
    where shown.behind <= ${MAX_TEXT_BYTES}
    order by m.created_at, m.id`;
}

/** The latest attachments of the chat, newest first. */
export function attachmentsAroundTurn(organizationId: string, turnId: string): Statement<AttachmentDto> {
  return sql`
    select ${ATTACHMENT_COLUMNS} from attachment a
    where a.organization_id = ${organizationId} and a.chat_id = ${chatOfTurn(organizationId, turnId)}
    order by a.created_at desc, a.id desc limit ${MAX_ATTACHMENTS}`;
}
