import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { Job } from '../../kernel/jobs/index.ts';
import { activeAccess } from '../../kernel/tenancy/index.ts';
import { DiscoveryMovesService } from './discovery-moves.service.ts';
import { type DueIntention, dueIntentions } from './discovery.queries.ts';

/** Intentions of each kind that one statement finds across organizations. */
const LIMIT = 100;

@Injectable()
export class DiscoveryJobs {
  private readonly logger = new Logger('Discovery');

  constructor(
    private readonly transactions: Transactions,
    private readonly moves: DiscoveryMovesService,
  ) {}

  /** Moves what may move. A failed move must not hold up the others, and is tried again at the next tick. */
  @Job('discovery', '*/2 * * * * *')
  async move(signal: AbortSignal): Promise<void> {
    const tried = new Set<string>();
    for (;;) {
      const found = await this.transactions.dispatch((run) => run(dueIntentions(LIMIT)));
      const fresh = found.filter((due) => !tried.has(nameOf(due)));
      if (fresh.length === 0) return;
      for (const due of fresh) {
        if (signal.aborted) return;
        tried.add(nameOf(due));
        const access = activeAccess(due.organizationId, EdgeErrors.organizationNotFound, 'ordinary');
        await this.transactions.through(access, (tx) => this.moves.move(tx, due.key)).catch(this.report(due));
      }
    }
  }

  private report(due: DueIntention): (error: unknown) => void {
    return (error) => {
      if (!(error instanceof ApiError))
        this.logger.error(`An intention did not move: ${nameOf(due)}`, (error as Error).stack);
    };
  }
}

function nameOf({ organizationId, key }: DueIntention): string {
  return `${organizationId} ${key}`;
}
