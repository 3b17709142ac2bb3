import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { silenceMs } from '../../../kernel/leases/index.ts';
import { TurnRecoveryService } from '../../chats/index.ts';
import { WorkSignals } from '../../tasks/index.ts';
import type { RecoverDto, RecoveredDto } from './worker-recovery.dto.ts';
import { freshestClaim, releaseClaims, runsOfOtherBoots } from './worker-recovery.queries.ts';
import { RunExpiryService } from '../../runs/index.ts';

/** Gives back what a worker held before it started again. */
@Injectable()
export class WorkerRecoveryService {
  constructor(
    private readonly transactions: Transactions,
    private readonly expiry: RunExpiryService,
    private readonly turns: TurnRecoveryService,
    private readonly signals: WorkSignals,
    private readonly config: Config,
  ) {}

  async recover(workerId: string, { bootId, alone }: RecoverDto): Promise<RecoveredDto> {
    const silence = alone ? 0 : silenceMs(this.config.runs.leaseSeconds);
    const [claims, fresh, held] = await this.transactions.dispatchBatch([
      releaseClaims(workerId, bootId, silence),
      freshestClaim(workerId, bootId, silence),
      runsOfOtherBoots(workerId, bootId, silence),
    ]);
    for (const { organizationId } of claims) this.signals.ready(organizationId, 1);
    const runs: string[] = [];
    for (const { organizationId, id, freshMs } of held)
      if (freshMs <= 0 && (await this.expire(organizationId, id, bootId))) runs.push(id);
    const turns = await this.turns.recover(workerId, { bootId, alone });
    const waits = [fresh[0]?.freshMs ?? 0, turns.freshMs, ...held.map(({ freshMs }) => freshMs)].filter((ms) => ms > 0);
    return {
      runs,
      claims: claims.map(({ id }) => id),
      turns: [...turns.ids],
      retryAfterMs: waits.length > 0 ? Math.max(...waits) : null,
    };
  }

  /** False where another call was first, or the organization is gone. */
  private async expire(organizationId: string, runId: string, bootId: string): Promise<boolean> {
    try {
      return await this.expiry.expire(organizationId, runId, { bootId });
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }
}
