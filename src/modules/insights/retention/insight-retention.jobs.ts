import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { FIRST_UUID } from '../../../kernel/ids/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { standingAccess } from '../../../kernel/tenancy/index.ts';
import { organizationsWithFigures, removeOldFigures } from './insight-retention.queries.ts';

/** Organizations that are looked up at once. */
const FOUND = 100;

@Injectable()
export class InsightRetentionJobs {
  private readonly logger = new Logger('Insights');

  constructor(private readonly transactions: Transactions) {}

  /** Removes superseded figures, ended collections and old receipts, organization by organization. */
  @Job('insight-retention', '0 40 3 * * *')
  async removeOld(signal: AbortSignal): Promise<void> {
    let after: string | undefined = FIRST_UUID;
    while (after !== undefined && !signal.aborted) {
      const [found]: { readonly id: string }[][] = await this.transactions.dispatchBatch([
        organizationsWithFigures(after, FOUND),
      ]);
      for (const { id } of found) if (!signal.aborted) await this.tryToRemove(id);
      after = found.length === FOUND ? found.at(-1)!.id : undefined;
    }
  }

  private async tryToRemove(organizationId: string): Promise<void> {
    try {
      const access = standingAccess(organizationId, EdgeErrors.organizationNotFound);
      await this.transactions.batch(access, removeOldFigures(organizationId));
    } catch (error) {
      this.logger.warn(`old figures of ${organizationId} are removed later: ${(error as Error).message}`);
    }
  }
}
