import { type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import { decidedActions, type DecidedAction, unresolvedActions, type UnresolvedAction } from '../../actions/index.ts';
import { chatOfTurn } from '../../chats/index.ts';

/** The actions of the turn's chat, as `a`. */
function ofChatOf(organizationId: string, turnId: string): Sql {
  return sql`a.chat_id = ${chatOfTurn(organizationId, turnId)}`;
}

export function decisionsOf(organizationId: string, turnId: string): Statement<DecidedAction> {
  return decidedActions(organizationId, ofChatOf(organizationId, turnId));
}

export function unresolvedOf(organizationId: string, turnId: string): Statement<UnresolvedAction> {
  return unresolvedActions(organizationId, ofChatOf(organizationId, turnId));
}
