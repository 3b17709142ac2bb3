import { Injectable, Logger } from '@nestjs/common';
import { CronExpression } from '@nestjs/schedule';
import { type Statement, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors } from '../../../kernel/errors/index.ts';
import { Job } from '../../../kernel/jobs/index.ts';
import { activeAccess } from '../../../kernel/tenancy/index.ts';
import { organizationsBehind, organizationsWithoutConnectors } from './catalog.queries.ts';
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
  upgrade(signal: AbortSignal): Promise<void> {
    const behind = organizationsBehind(this.catalog.version, ORGANIZATIONS);
    return this.inEach(behind, signal, (tx) => this.catalog.upgradeIn(tx));
  }

  /** Finds what replicas of the release before make while both run; looks at all organizations, so not often. */
  @Job('integration-catalog-missing', CronExpression.EVERY_HOUR, { atStart: true })
  createMissing(signal: AbortSignal): Promise<void> {
    return this.inEach(organizationsWithoutConnectors(ORGANIZATIONS), signal, (tx) => this.catalog.createMissingIn(tx));
  }

  private async inEach(
    found: Statement<{ organizationId: string }>,
    signal: AbortSignal,
    work: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    for (const { organizationId } of await this.transactions.dispatch((run) => run(found))) {
      if (signal.aborted) return;
      const access = activeAccess(organizationId, EdgeErrors.organizationNotFound, 'ordinary');
      await this.transactions.through(access, work).catch((error: unknown) => {
        if (!(error instanceof ApiError))
          this.logger.error(`Connectors of ${organizationId} stay behind: ${(error as Error).message}`, error);
      });
    }
  }
}
