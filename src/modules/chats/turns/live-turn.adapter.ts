import { Injectable } from '@nestjs/common';
import { LiveExecutions } from '../../../kernel/auth/index.ts';
import type { Tx } from '../../../kernel/database/index.ts';
import { LeaseWatcher } from '../../../kernel/leases/index.ts';
import { type ProfileFollower, ProfileRemoved } from '../../agent-profiles/index.ts';
import { chatOfTurn, lockCallingTurn, turnState } from './turn-hold.queries.ts';
import { extendTurnLeases, lapseTurnLeases } from './turn-lease.queries.ts';
import { TURN } from './turn.policy.ts';

/** Answers for live turns where the rest of the service asks: their leases, their executions, their profiles. */
@Injectable()
export class LiveTurn implements ProfileFollower {
  constructor(executions: LiveExecutions, profiles: ProfileRemoved, leases: LeaseWatcher) {
    leases.register({ kind: 'turn', leaseSeconds: TURN.leaseSeconds, renew: extendTurnLeases() });
    executions.register('chat_turn', { state: turnState, boundTo: chatOfTurn, hold: lockCallingTurn });
    profiles.register(this);
  }

  async profileRemoved(tx: Tx, agentProfileId: string): Promise<void> {
    await tx.rows(lapseTurnLeases(tx.organizationId, agentProfileId));
  }
}
