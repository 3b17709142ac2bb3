import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError, EdgeErrors, type Issue, issueAt } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  byRef,
  type ConnectorChange,
  ConnectorChangesService,
  type HeldConnector,
  requireRevision,
} from '../changes/connector-changes.service.ts';
import { credentialedConnector, type CredentialedRow } from '../credentials/credentialed-connector.ts';
import { ProviderAskingService, requireAskable } from '../credentials/provider-asking.service.ts';
import { failedSighting, ownerAnswerTo } from '../provider-failures.ts';
import { HealthObservationsService } from '../health/health-observations.service.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import type { Inventory, ListedTool } from '../provider-adapters.port.ts';
import { isSame } from '../same-value.ts';
import { asReviewed } from '../readiness/readiness.policy.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import { type DiscoveredToolsDto, toDiscovered, type UpdateToolsDto } from './tool.dto.ts';
import { inventoryOf } from './inventory.queries.ts';
import { InventoriesService } from './inventories.service.ts';
import { choose, eligibleTools } from './tool-selection.policy.ts';

/** What owners do with the tools of a connector. */
@Injectable()
export class ToolsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
    private readonly changes: ConnectorChangesService,
    private readonly inventories: InventoriesService,
    private readonly observations: HealthObservationsService,
  ) {}

  /** Sets the access mode, and with it which tools runs may use. */
  async choose(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    body: UpdateToolsDto,
  ): Promise<StandingConnector> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const chosen = await this.changes.change(tx, byRef(ref), { actor: owner }, (held) =>
        this.chosenBy(tx, held, body),
      );
      return chosen!;
    });
  }

  private async chosenBy(tx: Tx, held: HeldConnector, body: UpdateToolsDto): Promise<ConnectorChange | undefined> {
    const { row } = held;
    const fixedReadOnly = held.entry?.fixedReadOnly ?? false;
    requireRevision(held, 'tools', body.expectedRevision);
    const { accessMode, tools, reviewRequiredTools } = body;
    const issues: Issue[] = [];
    if (fixedReadOnly && accessMode !== 'read_only')
      issues.push(issueAt('accessMode', IntegrationIssues.fixedReadOnly));
    const listed = await this.listedOf(tx, held);
    const reviewRequired = reviewRequiredTools ? reviewRequiredTools.toSorted() : row.reviewRequired;
    const reviewed = asReviewed(listed, reviewRequired);
    const eligible = eligibleTools(reviewed, accessMode);
    issues.push(
      ...foreignIn('tools', tools, listed, eligible),
      ...foreignIn('reviewRequiredTools', reviewRequiredTools, listed),
    );
    if (issues.length > 0) throw new ApiError(EdgeErrors.validationFailed, { issues });
    const choice = choose(row, { by: 'owner', accessMode, ...(tools ? { tools } : {}) }, reviewed, fixedReadOnly);
    const next = { accessMode: choice.accessMode, selection: choice.selection, reviewRequired };
    const changed = (['accessMode', 'selection', 'reviewRequired'] as const).filter(
      (column) => !isSame(next[column], row[column]),
    );
    if (changed.length === 0) return undefined;
    return { set: next, moves: ['tools'], entries: [{ verb: 'integration.updated', details: { changed } }] };
  }

  /** All that the provider lists, or that the release fixes; 409 where nobody has listed anything yet. */
  private async listedOf(tx: Tx, { row, entry }: HeldConnector): Promise<readonly ListedTool[]> {
    if (!entry) throw conflict(IntegrationIssues.retired);
    if (entry.tools === 'fixed') return this.asking.fixedTools(row.kind, row.settings);
    const [stored] = await tx.rows(inventoryOf(tx.organizationId, row.id));
    if (!stored) throw conflict(IntegrationIssues.noInventory);
    return stored.tools;
  }

  /** Lists the tools live, and says what is new, changed or gone. */
  async discover(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<DiscoveredToolsDto> {
    const which = byRef(ref);
    const found = await this.reads.listThrough(
      ownerWriteAccess(owner, organizationId, {}),
      credentialedConnector(organizationId, which),
    );
    if (!found) throw new ApiError(NOT_FOUND);
    const connector = this.readiness.of(found.row);
    requireAskable(connector);
    if (connector.entry?.tools === 'fixed') {
      const tools = this.asking.fixedTools(found.row.kind, found.row.settings);
      return toDiscovered(connector, { tools, excluded: [], server: null, listedAt: found.row.updatedAt }, tools);
    }
    const inventory = await this.list(connector, found);
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const applied = await this.inventories.applyIn(tx, found.row, owner, inventory);
      if (!applied) throw conflict(IntegrationIssues.changedMeanwhile);
      const [stored] = await tx.rows(inventoryOf(tx.organizationId, found.row.id));
      const standing = await this.changes.read(tx, { id: found.row.id });
      return toDiscovered(standing, stored!, applied.was?.tools ?? []);
    });
  }

  private async list(connector: StandingConnector, { row, credential }: CredentialedRow): Promise<Inventory> {
    try {
      return await this.asking.list(connector, credential, 'ownerCall');
    } catch (error) {
      const sighting = failedSighting(error, true);
      if (sighting) await this.observations.observe(row, sighting);
      throw ownerAnswerTo(error);
    }
  }
}

function foreignIn(
  path: string,
  names: readonly string[] | undefined,
  listed: readonly { readonly name: string }[],
  eligible = listed,
): readonly Issue[] {
  const [known, permitted] = [namesOf(listed), namesOf(eligible)];
  const unknown = names?.find((name) => !known.has(name));
  if (unknown !== undefined)
    return [issueAt(path, IntegrationIssues.toolNotListed, `names "${unknown}", which the provider does not list`)];
  const refused = names?.find((name) => !permitted.has(name));
  return refused === undefined
    ? []
    : [issueAt(path, IntegrationIssues.toolNotEligible, `names "${refused}", which the access mode does not permit`)];
}

function namesOf(tools: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}
