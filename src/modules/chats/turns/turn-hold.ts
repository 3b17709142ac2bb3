import type { Tx } from '../../../kernel/database/index.ts';
import { lockLiveTurn, type TurnSource, turnSource } from './turn-hold.queries.ts';

/** Locks a turn that a runtime names, shared, and answers its profile; undefined where it does not live. */
export async function holdLiveTurn(tx: Tx, turnId: string): Promise<{ readonly agentProfileId: string } | undefined> {
  const [turn] = await tx.rows(lockLiveTurn(tx.organizationId, turnId));
  return turn;
}

/** Reads which chat and message a turn answers, which never changes; undefined for an unknown turn. */
export async function sourceOfTurn(tx: Tx, turnId: string): Promise<TurnSource | undefined> {
  const [turn] = await tx.rows(turnSource(tx.organizationId, turnId));
  return turn;
}
