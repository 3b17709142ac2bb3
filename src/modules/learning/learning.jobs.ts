import { Injectable, Logger } from '@nestjs/common';
import { Transactions, type Tx } from '../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../kernel/errors/index.ts';
import { FIRST_UUID } from '../../kernel/ids/index.ts';
import { Job } from '../../kernel/jobs/index.ts';
import { activeAccess } from '../../kernel/tenancy/index.ts';
import type { Actor } from '../organizations/index.ts';
import { type RequestedCycle, requestedCycles, takeRequest } from './learning-cycles.queries.ts';
import { LearningCyclesService } from './learning-cycles.service.ts';
import { LearningErrors } from './learning.errors.ts';

const LEARNING: Actor = { kind: 'system', name: 'learning' };
/** Profiles that one statement finds across organizations. */
const LIMIT = 100;

@Injectable()
export class LearningJobs {
  private readonly logger = new Logger('Learning');

  constructor(
    private readonly transactions: Transactions,
    private readonly cycles: LearningCyclesService,
  ) {}

  /** Begins a cycle for each profile that was answered and does not learn already. */
  @Job('learning-refresh', '*/5 * * * * *')
  async refresh(signal: AbortSignal): Promise<void> {
    let after: RequestedCycle = { organizationId: FIRST_UUID, agentProfileId: FIRST_UUID };
    let found: RequestedCycle[];
    do {
      found = await this.transactions.dispatch((run) => run(requestedCycles(after, LIMIT)));
      for (const requested of found) {
        if (signal.aborted) return;
        const access = activeAccess(requested.organizationId, LearningErrors.profileNotFound, 'ordinary');
        await this.transactions.through(access, (tx) => this.begin(tx, requested)).catch(this.report(requested));
      }
      after = found.at(-1) ?? after;
    } while (found.length === LIMIT);
  }

  /**
   * The finder only proposes. A cycle that somebody else has begun meanwhile may have looked before the last answer came, so
   * the request stays for the time behind it; with a cycle of its own the request goes, and with it all answers that the
   * commit finds: that cycle's runs begin later and see them.
   */
  private async begin(tx: Tx, { agentProfileId }: RequestedCycle): Promise<void> {
    const { existing } = await this.cycles.begin(tx, agentProfileId, { actor: LEARNING });
    if (existing) return;
    const taken = await tx.rows(takeRequest(tx.organizationId, agentProfileId));
    // Another process has begun a cycle for it, which is over already.
    if (taken.length === 0) throw new ApiError(EdgeErrors.stateConflict);
  }

  private report({ agentProfileId }: RequestedCycle): (error: unknown) => void {
    return (error) => {
      if (!(error instanceof ApiError))
        this.logger.error(`profile ${agentProfileId} did not begin to learn`, (error as Error).stack);
    };
  }
}
