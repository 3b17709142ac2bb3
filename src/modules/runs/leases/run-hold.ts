import type { Tx } from '../../../kernel/database/index.ts';
import { lockRun } from './live-run.queries.ts';

/** Locks a live run that a runtime names, shared; undefined where it has ended or its lease has lapsed. */
export async function holdLiveRun(tx: Tx, runId: string): Promise<{ readonly agentProfileId: string } | undefined> {
  const [run] = await tx.rows(lockRun(tx.organizationId, runId));
  return run;
}
