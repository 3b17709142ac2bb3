import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { organizationsBehind } from './catalog.queries.ts';
import { IntegrationCatalogService } from './integration-catalog.service.ts';

/** Organizations that one tick brings up to the catalog of this release. */
const ORGANIZATIONS = 100;

@Injectable()
export class IntegrationCatalogJobs {
  private readonly logger = new Logger('Integrations');

  constructor(
    private readonly transactions: Transactions,
    private readonly catalog: IntegrationCatalogService,
  ) {}

  /** Brings organizations from before up to the catalog of this release. */
  @Job('integration-catalog', CronExpression.EVERY_10_SECONDS, { atStart: true })
  async upgrade(signal: AbortSignal): Promise<void> {
    const behind = organizationsBehind(this.catalog.version, ORGANIZATIONS);
    for (const { organizationId } of await this.transactions.dispatch((run) => run(behind))) {
      if (signal.aborted) return;
      const access = activeAccess(organizationId, EdgeErrors.organizationNotFound, 'ordinary');
      await this.transactions
        .through(access, (tx) => this.catalog.upgradeIn(tx))
        .catch((error: unknown) => {
          if (!(error instanceof ApiError))
            this.logger.error(`Connectors of ${organizationId} stay behind: ${(error as Error).message}`, error);
        });
    }
  }
}
