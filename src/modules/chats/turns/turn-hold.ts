import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { lockCallingTurn, lockLiveTurn, type TurnSource, turnSource } from './turn-hold.queries.ts';

/** Locks a turn that a runtime names, shared, and answers its profile; undefined where it does not live. */
export async function holdLiveTurn(tx: Tx, turnId: string): Promise<{ readonly agentProfileId: string } | undefined> {
  const [turn] = await tx.rows(lockLiveTurn(tx.organizationId, turnId));
  return turn;
}

/**
 * Locks the calling turn shared, so that calls which would end it wait for this transaction: no write of an agent lands
 * behind the end of its turn. 409 when it is over.
 */
export async function holdTurn(tx: Tx, execution: ExecutionPrincipal): Promise<{ readonly chatId: string }> {
  const [turn] = await tx.rows(lockCallingTurn(execution));
  if (!turn) throw new ApiError(EdgeErrors.stateConflict, { message: 'The execution is over.' });
  return turn;
}

/** Reads which chat and message a turn answers, which never changes; undefined for an unknown turn. */
export async function sourceOfTurn(tx: Tx, turnId: string): Promise<TurnSource | undefined> {
  const [turn] = await tx.rows(turnSource(tx.organizationId, turnId));
  return turn;
}
