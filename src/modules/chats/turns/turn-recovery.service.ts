import { Injectable } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { silenceMs } from '../../../kernel/leases/index.ts';
import { TurnSweepService } from './turn-sweep.service.ts';
import { turnsOfOtherBoots } from './turn-sweep.queries.ts';
import { TURN } from './turn.policy.ts';

/** The turns that a worker held before it started again: those that were settled, and whether some still live. */
export interface RecoveredTurns {
  readonly ids: readonly string[];
  /** For how many ms the freshest of the others still counts as alive; 0 when there is none. */
  readonly freshMs: number;
}

/** Settles turns that a worker held before it started again. */
@Injectable()
export class TurnRecoveryService {
  constructor(
    private readonly transactions: Transactions,
    private readonly sweep: TurnSweepService,
  ) {}

  /** `alone` where no other process of the worker is left, so that nothing of it still lives. */
  async recover(
    workerId: string,
    { bootId, alone }: { readonly bootId: string; readonly alone: boolean },
  ): Promise<RecoveredTurns> {
    const recovery = { workerId, bootId, silenceMs: alone ? 0 : silenceMs(TURN.leaseSeconds) };
    const [held] = await this.transactions.dispatchBatch([turnsOfOtherBoots(recovery)]);
    const silent = held.filter(({ freshMs }) => freshMs <= 0);
    return {
      ids: await this.sweep.settle(silent, recovery),
      freshMs: Math.max(0, ...held.map(({ freshMs }) => freshMs)),
    };
  }
}
