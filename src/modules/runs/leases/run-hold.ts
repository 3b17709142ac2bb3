import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import { statement, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { isUnlapsed } from '../../../kernel/leases/index.ts';
import type { TaskPhase } from '../../tasks/index.ts';
import { isLiveRun } from '../run.state.ts';

/** What a run works on. */
export interface HeldRun {
  readonly taskId: string;
  readonly mode: TaskPhase;
}

/** Locks a run that a runtime names, shared, if it lives; answers whose it is. */
export async function holdLiveRun(
  tx: Tx,
  organizationId: string,
  runId: string,
): Promise<{ readonly agentProfileId: string } | undefined> {
  const [run] = await tx.rows(
    statement<{ agentProfileId: string }>(
      `select r.agent_profile_id as "agentProfileId" from run r
       where r.organization_id = $1 and r.id = $2 and ${isLiveRun('r.status')}
         and ${isUnlapsed('run', 'r.lease_expires_at')}
       for share`,
      organizationId,
      runId,
    ),
  );
  return run;
}

/**
 * Locks the calling run shared, so that whatever would end it waits for this transaction: nothing of an agent lands
 * behind the end of its run. 409 when it is over.
 */
export async function holdRun(
  tx: Tx,
  { organizationId, executionId, generation }: ExecutionPrincipal,
): Promise<HeldRun> {
  const [run] = await tx.rows(
    statement<HeldRun>(
      `select r.task_id as "taskId", r.mode from run r
       where r.organization_id = $1 and r.id = $2 and r.attempt = $3 and ${isLiveRun('r.status')}
         and ${isUnlapsed('run', 'r.lease_expires_at')}
       for share`,
      organizationId,
      executionId,
      generation,
    ),
  );
  if (!run) throw new ApiError(EdgeErrors.stateConflict, { message: 'The execution is over.' });
  return run;
}
