import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { type HeldRun, lockCallingRun, lockRun } from './live-run.queries.ts';

/** Locks a live run that a runtime names, shared; undefined where it has ended or its lease has lapsed. */
export async function holdLiveRun(tx: Tx, runId: string): Promise<{ readonly agentProfileId: string } | undefined> {
  const [run] = await tx.rows(lockRun(tx.organizationId, runId));
  return run;
}

/**
 * Locks the calling run, shared, so that a call that would end it waits for this transaction and nothing of an agent
 * lands behind the end of its run. 409 when it is over.
 */
export async function holdRun(tx: Tx, execution: ExecutionPrincipal): Promise<HeldRun> {
  const [run] = await tx.rows(lockCallingRun(execution));
  if (!run) throw new ApiError(EdgeErrors.stateConflict, { message: 'The execution is over.' });
  return run;
}
