import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { EdgeErrors } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { type Addend, Metrics } from '../../../kernel/metrics/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { credentialedConnector, type CredentialedRow } from '../credentials/credentialed-connector.ts';
import { ProviderAskingService } from '../credentials/provider-asking.service.ts';
import { HealthObservationsService } from '../health/health-observations.service.ts';
import { IntegrationMetrics } from '../integration.metrics.ts';
import { failedSighting } from '../provider-failures.ts';
import { ReadinessService } from '../readiness/readiness.service.ts';
import { minutesToListing } from './inventory.policy.ts';
import { claimListing, type DueListing, dueListings } from './inventory.queries.ts';
import { InventoriesService } from './inventories.service.ts';

const BATCH = 20;
/** Servers that are asked at once. */
const AT_ONCE = 5;

@Injectable()
export class InventoryJobs {
  private readonly logger = new Logger('Integrations');
  private readonly outcomes: Readonly<Record<'listed' | 'failed', Addend>>;

  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
    private readonly inventories: InventoriesService,
    private readonly observations: HealthObservationsService,
    metrics: Metrics,
  ) {
    const counter = (outcome: 'listed' | 'failed') => metrics.counter(IntegrationMetrics.listings, { outcome });
    this.outcomes = { listed: counter('listed'), failed: counter('failed') };
  }

  /** Lists the tools of connectors whose time has come, so that changed ones are seen before somebody calls them. */
  @Job('integration-inventory', CronExpression.EVERY_MINUTE)
  async list(signal: AbortSignal): Promise<void> {
    const [due] = await this.transactions.dispatchBatch([dueListings(BATCH)]);
    const waiting = [...due];
    const work = async () => {
      for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift())
        await this.tryToList(next, signal);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  private async tryToList(due: DueListing, signal: AbortSignal): Promise<void> {
    try {
      await this.listOne(due, signal);
    } catch (error) {
      this.logger.warn(`the tools of the integration ${due.id} are listed later: ${(error as Error).message}`);
    }
  }

  private async listOne({ organizationId, id, failures }: DueListing, signal: AbortSignal): Promise<void> {
    const access = activeAccess(organizationId, EdgeErrors.organizationNotFound, 'ordinary');
    // Moved before anybody is asked, so that a process that dies here leaves it for later, and others leave it alone.
    const minutes = minutesToListing(failures + 1);
    const [claimed] = await this.transactions.batch(access, [claimListing(organizationId, id, minutes)]);
    if (claimed.length === 0) return;
    const found = await this.reads.listThrough(access, credentialedConnector(organizationId, { id }));
    if (found) await this.ask(found, signal);
  }

  private async ask({ row, credential }: CredentialedRow, signal: AbortSignal): Promise<void> {
    const connector = this.readiness.of(row);
    // One that is not usable is listed when it is connected, or checked, or when its time comes again.
    if (!connector.isUsable) return;
    try {
      const inventory = await this.asking.list(connector, credential, 'read', signal);
      this.outcomes.listed.inc();
      await this.inventories.observe(row, inventory);
    } catch (error) {
      const sighting = failedSighting(error, true);
      if (!sighting) throw error;
      this.outcomes.failed.inc();
      await this.observations.observe(row, sighting);
    }
  }
}
