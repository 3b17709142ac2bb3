import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { silenceMs } from '../../../kernel/leases/index.ts';
import { TurnSweepService } from './turn-sweep.service.ts';
import { turnsOfOtherBoots } from './turn-sweep.queries.ts';
import { TURN } from './turn.policy.ts';

/** What became of the turns that a worker held before it started again. */
export interface RecoveredTurns {
  readonly ids: readonly string[];
  /** How long the freshest of those that were left still counts as alive; 0 when there is none. */
  readonly freshMs: number;
}

/** Gives back turns that a worker held before it started again. */
@Injectable()
export class TurnRecoveryService {
  constructor(
    private readonly transactions: Transactions,
    private readonly sweep: TurnSweepService,
  ) {}

  async recover(workerId: string, bootId: string): Promise<RecoveredTurns> {
    const recovery = { workerId, bootId, silenceMs: silenceMs(TURN.leaseSeconds) };
    const [held] = await this.transactions.dispatchBatch([turnsOfOtherBoots(recovery)]);
    const silent = held.filter(({ freshMs }) => freshMs <= 0);
    return {
      ids: await this.sweep.settle(silent, recovery),
      freshMs: Math.max(0, ...held.map(({ freshMs }) => freshMs)),
    };
  }
}
