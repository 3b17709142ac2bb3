import { Injectable } from '@nestjs/common';
import { type Statement, Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { TurnRestsService } from './turn-rests.service.ts';
import { TurnSweepService } from './turn-sweep.service.ts';
import { dueTurns, unansweredTurns, type FoundTurn, removeChunks, TURNS_LIMIT } from './turn-sweep.queries.ts';

const CHUNKS_LIMIT = 5_000;

/** Settles turns that no worker ends, requeues rested ones, and removes chunks behind ended ones. */
@Injectable()
export class TurnsJobs {
  constructor(
    private readonly transactions: Transactions,
    private readonly sweep: TurnSweepService,
    private readonly rests: TurnRestsService,
  ) {}

  @Job('turns-due', '* * * * * *')
  settleDue(signal: AbortSignal): Promise<void> {
    return this.settleAll(dueTurns(), signal);
  }

  @Job('turns-forgotten', '*/20 * * * * *')
  endUnanswered(signal: AbortSignal): Promise<void> {
    return this.settleAll(unansweredTurns(), signal);
  }

  @Job('turns-rested', '* * * * * *')
  endRests(signal: AbortSignal): Promise<void> {
    return this.rests.sweep(signal);
  }

  @Job('message-chunks-remove', '15 * * * * *')
  async removeChunks(signal: AbortSignal): Promise<void> {
    let removed: number;
    do {
      const [, rows] = await this.transactions.dispatchBatch(removeChunks(CHUNKS_LIMIT));
      removed = rows.length;
    } while (removed === CHUNKS_LIMIT && !signal.aborted);
  }

  private async settleAll(query: Statement<FoundTurn>, signal: AbortSignal): Promise<void> {
    let settled: readonly string[];
    do {
      const [found] = await this.transactions.dispatchBatch([query]);
      settled = await this.sweep.settle(found);
    } while (settled.length >= TURNS_LIMIT && !signal.aborted);
  }
}
