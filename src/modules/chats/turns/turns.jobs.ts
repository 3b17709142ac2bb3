import { Injectable } from '@nestjs/common';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { TurnRestsService } from './turn-rests.service.ts';
import { TurnSweepService } from './turn-sweep.service.ts';
import { findDue, findForgotten, type FoundTurn, removeChunks, TURN_BATCH } from './turn-sweep.queries.ts';

const CHUNK_BATCH = 5_000;

/** Ends what nobody else ends, and clears up behind it. */
@Injectable()
export class TurnsJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly sweep: TurnSweepService,
    private readonly rests: TurnRestsService,
  ) {}

  @Job('turns-due', '* * * * * *')
  settleDue(signal: AbortSignal): Promise<void> {
    return this.inBatches(findDue(), signal);
  }

  @Job('turns-forgotten', '*/20 * * * * *')
  endForgotten(signal: AbortSignal): Promise<void> {
    return this.inBatches(findForgotten(), signal);
  }

  @Job('turns-rested', '* * * * * *')
  endRests(signal: AbortSignal): Promise<void> {
    return this.rests.sweep(signal);
  }

  @Job('message-chunks-remove', '15 * * * * *')
  async removeChunks(signal: AbortSignal): Promise<void> {
    let removed: number;
    do {
      const [, rows] = await this.transactions.dispatchBatch(removeChunks(CHUNK_BATCH));
      removed = rows!.length;
    } while (removed === CHUNK_BATCH && !signal.aborted);
  }

  private async inBatches(query: Statement<FoundTurn>, signal: AbortSignal): Promise<void> {
    let moved: readonly string[];
    do {
      const [found] = (await this.transactions.dispatchBatch([query])) as [FoundTurn[]];
      moved = await this.sweep.settle(found);
    } while (moved.length >= TURN_BATCH && !signal.aborted);
  }
}
