import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import { Egress } from '../../../kernel/egress/index.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import { isUsable, type Readiness } from '../integration.state.ts';
import { ProviderAdapters } from '../provider-adapters.port.ts';
import type { ConnectorRow, ConnectorTool } from './connectors.queries.ts';
import { asReviewed, type ConnectorFacts, type Permitted, readinessOf } from './readiness.policy.ts';

/** A connector as it stands now. */
export interface StandingConnector<Row extends ConnectorRow = ConnectorRow> {
  readonly row: Row;
  /** Undefined where the release knows the kind no more. */
  readonly entry: CatalogEntry | undefined;
  readonly facts: ConnectorFacts;
  /** As listed last, or as the entry fixes them, with what an owner demands of them. */
  readonly tools: readonly ConnectorTool[];
  readonly readiness: Readiness;
  readonly isUsable: boolean;
}

/** Says of rows how their connectors stand. */
@Injectable()
export class ReadinessService {
  constructor(
    private readonly adapters: ProviderAdapters,
    private readonly egress: Egress,
    private readonly config: Config,
  ) {}

  of<Row extends ConnectorRow>(row: Row): StandingConnector<Row> {
    const adapter = this.adapters.of(row.kind);
    const entry = adapter?.entry;
    const known = entry?.tools === 'fixed' ? adapter?.tools?.(row.settings) : row.listed;
    const tools = asReviewed<ConnectorTool>(known ?? [], row.reviewRequired);
    const facts = { ...row, tools, credentialState: row.credential?.state ?? null };
    const readiness = readinessOf(facts, entry, this.permittedIn(row.organization));
    return { row, entry, facts, tools, readiness, isUsable: isUsable(readiness) };
  }

  /** What an organization and the deployment permit now. */
  permittedIn({
    allowedIntegrations,
    blockedDomains,
  }: Pick<ConnectorRow['organization'], 'allowedIntegrations' | 'blockedDomains'>): Permitted {
    return {
      allowedIntegrations,
      isBlocked: (url) => this.egress.judge(url, blockedDomains) !== undefined,
      isApproved: (url) => this.config.integrations.approvedOrigins.has(url),
    };
  }
}
