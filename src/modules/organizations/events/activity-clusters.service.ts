import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { currentCluster, holdLog, noteCluster, numberTransactions } from './activity-events.queries.ts';

/**
 * Keeps positions in activity logs apart that are of different database clusters. A dump that is restored elsewhere
 * brings entries with the numbers of transactions of another cluster; from then on this cluster's numbers stand behind
 * all of those.
 */
@Injectable()
export class ActivityClustersService implements OnApplicationBootstrap {
  private readonly logger = new Logger('ActivityClusters');

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
  ) {}

  /** Before the first request; a failure is left to the first stream. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.current();
    } catch (error) {
      this.logger.warn(`the database cluster was not checked: ${(error as Error).message}`);
    }
  }

  /** The number of this cluster, noted where the log has been brought into another one. */
  async current(): Promise<number> {
    const [known] = await this.reads.asSubject('', currentCluster());
    return known ? known.number : this.note();
  }

  private async note(): Promise<number> {
    const number = await this.transactions.owner(async (execute) => {
      await execute(holdLog());
      const [noted] = await execute(noteCluster());
      if (noted) await execute(numberTransactions(noted.number));
      return noted?.number;
    });
    if (number === undefined) return this.current();
    this.logger.log(`the activity log is in another database cluster than before, its ${number}. one`);
    return number;
  }
}
