import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { isHeld } from './turn-lease.queries.ts';

/** Locks a turn that a runtime names, shared, if it lives; answers whose it is. */
export async function holdLiveTurn(
  tx: Tx,
  organizationId: string,
  turnId: string,
): Promise<{ readonly agentProfileId: string } | undefined> {
  const [turn] = await tx.rows(
    statement<{ agentProfileId: string }>(
      `select m.agent_profile_id as "agentProfileId" from message m
       where m.organization_id = $1 and m.id = $2 and ${isHeld('m')} for share`,
      organizationId,
      turnId,
    ),
  );
  return turn;
}

/**
 * Locks the calling turn shared, so that whatever would end it waits for this transaction: nothing of an agent lands behind
 * the end of its turn. 409 when it is over.
 */
export async function holdTurn(
  tx: Tx,
  { organizationId, executionId, generation }: ExecutionPrincipal,
): Promise<{ readonly chatId: string }> {
  const [turn] = await tx.rows(
    statement<{ chatId: string }>(
      `select m.chat_id as "chatId" from message m
       where m.organization_id = $1 and m.id = $2 and m.generation = $3 and ${isHeld('m')} for share`,
      organizationId,
      executionId,
      generation,
    ),
  );
  if (!turn) throw new ApiError(EdgeErrors.stateConflict, { message: 'The execution is over.' });
  return turn;
}

export interface TurnSource {
  readonly chatId: string;
  /** The person's, which the turn answers. */
  readonly messageId: string | null;
}

/** Where a turn stands, which never changes; undefined for an unknown one. */
export async function sourceOfTurn(tx: Tx, organizationId: string, turnId: string): Promise<TurnSource | undefined> {
  const [turn] = await tx.rows(
    statement<TurnSource>(
      `select m.chat_id as "chatId", m.reply_to_message_id as "messageId" from message m
       where m.organization_id = $1 and m.id = $2 and m.role = 'assistant'`,
      organizationId,
      turnId,
    ),
  );
  return turn;
}
