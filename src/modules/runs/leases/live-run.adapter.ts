import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { type ExecutionPrincipal, type ExecutionState, LiveExecutions } from '../../../kernel/auth/index.ts';
import { type Sql, sql, statement, type Tx } from '../../../kernel/database/index.ts';
import { isUnlapsed, LeaseWatcher } from '../../../kernel/leases/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../../agent-profiles/index.ts';
import { WorkInFlight, type WorkHolder } from '../../organizations/index.ts';
import { isLiveRun } from '../run.state.ts';
import { extendClaims, extendRunLeases } from './run-renewal.queries.ts';

/** What the rest of the service asks about live runs. */
@Injectable()
export class LiveRun implements WorkHolder, ProfileFollower {
  constructor(
    executions: LiveExecutions,
    workInFlight: WorkInFlight,
    profiles: ProfileRemoved,
    leases: LeaseWatcher,
    { runs }: Config,
  ) {
    leases.register({ kind: 'run', leaseSeconds: runs.leaseSeconds, renew: extendRunLeases() });
    leases.register({ kind: 'claim', leaseSeconds: runs.claimLeaseSeconds, renew: extendClaims() });
    executions.register('task_run', stateOfRun);
    workInFlight.register(this);
    profiles.register(this);
  }

  async workInFlight(tx: Tx, organizationId: string): Promise<{ runningRuns: number }> {
    const [row] = await tx.rows(
      statement<{ runningRuns: number }>(
        `select count(*)::int as "runningRuns" from run where organization_id = $1 and ${isLiveRun('status')}`,
        organizationId,
      ),
    );
    return row!;
  }

  /** Nothing of the profile's runs lands any more; the sweep ends them. */
  async profileRemoved(tx: Tx, organizationId: string, agentProfileId: string): Promise<void> {
    await tx.rows(
      statement(
        // No outage is so old, so none gives the lease back.
        `update run set lease_expires_at = 'epoch'
         where organization_id = $1 and agent_profile_id = $2 and ${isLiveRun('status')}`,
        organizationId,
        agentProfileId,
      ),
    );
  }
}

/**
 * Without a lock, which would turn each read of an agent into a write; what must not land behind the end of its run
 * locks the run itself.
 */
function stateOfRun({ organizationId, executionId, generation }: ExecutionPrincipal): Sql<ExecutionState> {
  return sql`
    select p.deleted_at is null as alive, p.status = 'enabled' as enabled
    from run r join agent_profile p on p.organization_id = r.organization_id and p.id = r.agent_profile_id
    where r.organization_id = ${organizationId} and r.id = ${executionId} and r.attempt = ${generation}
      and ${sql.raw(isLiveRun('r.status'))} and ${isUnlapsed('run', 'r.lease_expires_at')}`;
}
