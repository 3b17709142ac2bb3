import { Injectable, Logger } from '@nestjs/common';
import { Transactions } from '../../../kernel/database/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { CollectionClaimsService } from './collection-claims.service.ts';
import { type DueSource, dueSources } from './collection.queries.ts';
import { CollectionsService } from './collections.service.ts';

/** Sources that a process collects at once. */
const AT_ONCE = 2;
/** Sources that are looked up at once; more than are collected, because others take some of them. */
const FOUND = 20;
/** How long a tick goes on to look for more. */
const TICK_MS = 60_000;

@Injectable()
export class CollectionJobs {
  private readonly logger = new Logger('Insights');

  constructor(
    private readonly transactions: Transactions,
    private readonly claims: CollectionClaimsService,
    private readonly collections: CollectionsService,
  ) {}

  /** Collects the sources whose time has come, of each connector one at a time. */
  @Job('insight-collection', '*/10 * * * * *')
  async collect(signal: AbortSignal): Promise<void> {
    const until = performance.now() + TICK_MS;
    let isMore = true;
    while (isMore && !signal.aborted && performance.now() < until) {
      const [due] = await this.transactions.dispatchBatch([dueSources(FOUND)]);
      const connectors = new Set<string>();
      const waiting = due.filter(({ integrationId }) => {
        const isFirst = !connectors.has(integrationId);
        connectors.add(integrationId);
        return isFirst;
      });
      isMore = false;
      const work = async () => {
        for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift())
          if (await this.tryOne(next, signal)) isMore = true;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }
  }

  /** Whether something was collected. */
  private async tryOne(due: DueSource, signal: AbortSignal): Promise<boolean> {
    try {
      const claim = await this.claims.claim(due);
      if (claim) await this.collections.collect(claim, signal);
      return claim !== undefined;
    } catch (error) {
      this.logger.warn(`the source ${due.id} is collected later: ${(error as Error).message}`);
      return false;
    }
  }
}
