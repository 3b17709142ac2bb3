import { Injectable } from '@nestjs/common';
import { type ExecutionPrincipal, type ExecutionState, LiveExecutions } from '../../../kernel/auth/index.ts';
import { type Sql, sql, statement, type Tx } from '../../../kernel/database/index.ts';
import { LeaseWatcher } from '../../../kernel/leases/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../../agent-profiles/index.ts';
import { isHeld, extendTurnLeases } from './turn-lease.queries.ts';
import { TURN } from './turn.policy.ts';

/** What the rest of the service asks about live turns. */
@Injectable()
export class LiveTurn implements ProfileFollower {
  constructor(executions: LiveExecutions, profiles: ProfileRemoved, leases: LeaseWatcher) {
    leases.register({ kind: 'turn', leaseSeconds: TURN.leaseSeconds, renew: extendTurnLeases() });
    executions.register('chat_turn', stateOfTurn);
    profiles.register(this);
  }

  /** Nothing of the profile's turns lands any more; the sweep ends them. */
  async profileRemoved(tx: Tx, organizationId: string, agentProfileId: string): Promise<void> {
    await tx.rows(
      statement(
        // No outage is so old, so none gives the lease back.
        `update message m set lease_expires_at = 'epoch'
         where m.organization_id = $1 and m.agent_profile_id = $2 and m.leased`,
        organizationId,
        agentProfileId,
      ),
    );
  }
}

/** Without a lock; what must not land behind the end of its turn locks the turn itself (`holdTurn`). */
function stateOfTurn({ organizationId, executionId, generation }: ExecutionPrincipal): Sql<ExecutionState> {
  return sql`
    select p.deleted_at is null as alive, p.status = 'enabled' as enabled
    from message m join agent_profile p on p.organization_id = m.organization_id and p.id = m.agent_profile_id
    where m.organization_id = ${organizationId} and m.id = ${executionId} and m.generation = ${generation}
      and ${sql.raw(isHeld('m'))}`;
}
