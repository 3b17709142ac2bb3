import type { BoundTo, ExecutionPrincipal, ExecutionState, HeldChatTurn } from '../../../kernel/auth/index.ts';
import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { isHeld } from './turn-lease.queries.ts';

const IS_HELD = isHeld('m');

/** The live turn `m` that calls; a later claim of the same turn has another generation. */
function isCalling({ organizationId, executionId, generation }: ExecutionPrincipal): Sql {
  return sql`m.organization_id = ${organizationId} and m.id = ${executionId} and m.generation = ${generation}
      and ${IS_HELD}`;
}

/**
 * The state of the calling turn, without a lock; writes that must not land behind its end hold it. The turn may do
 * what the token could do that posted the message; messages of releases that knew no scopes name none.
 */
export function turnState(execution: ExecutionPrincipal): Sql<ExecutionState> {
  const { organizationId, scope } = execution;
  const permitted =
    scope === null
      ? sql`true`
      : sql`coalesce((
        select ${scope}::text = any(u.scopes) from message u
        where u.organization_id = ${organizationId} and u.id = m.reply_to_message_id), true)`;
  return sql`
    select p.deleted_at is null as alive, p.status = 'enabled' as enabled, ${permitted} as permitted
    from message m join agent_profile p on p.organization_id = m.organization_id and p.id = m.agent_profile_id
    where ${isCalling(execution)}`;
}

/** The chat that a turn answers in. */
export function chatOfTurn({ organizationId, executionId }: ExecutionPrincipal): Statement<BoundTo> {
  return sql`
    select m.chat_id as "chatId" from message m
    where m.organization_id = ${organizationId} and m.id = ${executionId} and m.role = 'assistant'`;
}

/** Locks the calling turn shared. */
export function lockCallingTurn(execution: ExecutionPrincipal): Statement<HeldChatTurn> {
  return sql`
    select 'chat_turn' as execution, m.chat_id as "chatId", m.reply_to_message_id as "userMessageId" from message m
    where ${isCalling(execution)} for share`;
}

/** Locks a live turn shared. */
export function lockLiveTurn(organizationId: string, turnId: string): Statement<{ agentProfileId: string }> {
  return sql`
    select m.agent_profile_id as "agentProfileId" from message m
    where m.organization_id = ${organizationId} and m.id = ${turnId} and ${IS_HELD} for share`;
}

export interface TurnSource {
  readonly chatId: string;
  /** The person's message that the turn answers. */
  readonly messageId: string | null;
}

/** The chat and message that a turn answers, live or ended. */
export function turnSource(organizationId: string, turnId: string): Statement<TurnSource> {
  return sql`
    select m.chat_id as "chatId", m.reply_to_message_id as "messageId" from message m
    where m.organization_id = ${organizationId} and m.id = ${turnId} and m.role = 'assistant'`;
}
