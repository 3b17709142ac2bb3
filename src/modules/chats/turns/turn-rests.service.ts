import { Injectable } from '@nestjs/common';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { ChatSignalsService } from '../chat-signals.service.ts';
import { endRests, holdBack, requeueMissed, WALK_LIMIT, type SweepProgress } from './turn-rests.queries.ts';

/** Ends rests, holds back turns that may not be claimed, and requeues them once they may. */
@Injectable()
export class TurnRestsService {
  /** The organizations that the walks of this process have reached; each goes on there the next time. */
  private readonly walked = { holdBack: FIRST_UUID, requeue: FIRST_UUID };

  constructor(
    private readonly transactions: Transactions,
    private readonly signals: ChatSignalsService,
  ) {}

  async sweep(signal: AbortSignal): Promise<void> {
    let rested: readonly { organizationId: string }[];
    do {
      [rested] = await this.transactions.dispatchBatch([endRests()]);
      for (const { organizationId } of rested) this.signals.turnReady(organizationId);
    } while (rested.length > 0 && !signal.aborted);
    this.walked.requeue = await this.walk(requeueMissed(this.walked.requeue));
    this.walked.holdBack = await this.walk(holdBack(this.walked.holdBack));
  }

  private async walk(query: Statement<SweepProgress>): Promise<string> {
    const [[row]] = await this.transactions.dispatchBatch([query], { plannedOnce: true });
    for (const organizationId of row!.organizationIds) this.signals.turnReady(organizationId);
    return row!.walked === WALK_LIMIT && row!.last !== null ? row!.last : FIRST_UUID;
  }
}
