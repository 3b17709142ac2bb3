import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/index.ts';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import type { Statement } from '../../../kernel/database/index.ts';
import { Transactions } from '../../../kernel/database/index.ts';
import { Egress } from '../../../kernel/egress/index.ts';
import { invalid } from '../../../kernel/errors/index.ts';
import { grantAtFirst } from '../catalog/catalog.queries.ts';
import {
  byRef,
  type ConnectorChange,
  ConnectorChangesService,
  type HeldConnector,
} from '../changes/connector-changes.service.ts';
import { removeCredentials } from '../credentials/credential.queries.ts';
import { removeGrants } from '../grants/grants.queries.ts';
import type { UpdateIntegrationDto } from '../integration-body.dto.ts';
import { toIntegration } from '../integration-projection.ts';
import type { IntegrationDto } from '../integration.dto.ts';
import { conflict, IntegrationIssues } from '../integration.errors.ts';
import { CREDENTIAL_PURPOSES, generationOf } from '../integration.state.ts';
import { removeInventory } from '../tools/inventory.queries.ts';
import { requireConnectable } from './endpoint-url.ts';
import { removeConnector } from './registry.queries.ts';

/** What owners change of a connector without asking anybody: name, address, switch, and that it is there. */
@Injectable()
export class ConnectorEditsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly changes: ConnectorChangesService,
    private readonly egress: Egress,
    private readonly config: Config,
  ) {}

  update(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    body: UpdateIntegrationDto,
  ): Promise<IntegrationDto> {
    return this.change(owner, organizationId, ref, (held) => this.edited(held, body));
  }

  /** The owner's switch. Actions that nobody has sent yet stay, and are refused while it is off. */
  switch(owner: OwnerPrincipal, organizationId: string, ref: string, enabled: boolean): Promise<IntegrationDto> {
    return this.change(owner, organizationId, ref, (held) => {
      const { row, entry, readiness } = held;
      if (enabled && readiness === 'retired') throw conflict(IntegrationIssues.retired);
      if (enabled && entry?.enabledByCredential === false && row.verifiedFor !== generationOf(row))
        throw conflict(IntegrationIssues.needsVerification);
      if (enabled === row.enabled) return undefined;
      return { set: { enabled }, movesEpoch: true, entries: [updated(['enabled'], { enabled })] };
    });
  }

  /** Resets a connector of the catalog; removes an owner's own with all that hangs on it. Returns it as it was or is. */
  async remove(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<IntegrationDto> {
    let before: HeldConnector | undefined;
    const after = await this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.changes.change(tx, byRef(ref), { actor: owner }, (held) => {
        before = held;
        return held.row.origin === 'owner' ? removed(held) : reset(held);
      }),
    );
    return toIntegration(after ?? before!);
  }

  private async change(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    decide: (held: HeldConnector) => ConnectorChange | undefined,
  ): Promise<IntegrationDto> {
    const changed = await this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.changes.change(tx, byRef(ref), { actor: owner }, decide),
    );
    return toIntegration(changed!);
  }

  private edited(held: HeldConnector, body: UpdateIntegrationDto): ConnectorChange | undefined {
    const { row } = held;
    const { name = row.name, description = row.description, endpoint = row.endpoint } = body;
    const isMoved = endpoint !== row.endpoint;
    if (isMoved && row.origin === 'catalog') throw invalid('endpoint', IntegrationIssues.fixedEndpoint);
    if (isMoved && endpoint !== null) this.requireConnectable(held, endpoint);
    const fields = [
      ...(name === row.name ? [] : ['name']),
      ...(description === row.description ? [] : ['description']),
      ...(isMoved ? ['endpoint'] : []),
    ];
    if (fields.length === 0) return undefined;
    const entries = [updated(fields)];
    if (!isMoved) return { set: { name, description }, entries };
    // A secret goes only where it was given for.
    return {
      set: { ...FORGOTTEN, name, description, endpoint },
      statements: forgetting(held),
      moves: ['credential', 'tools'],
      entries,
    };
  }

  private requireConnectable({ row }: HeldConnector, endpoint: string): void {
    requireConnectable(endpoint, {
      egress: this.egress,
      approvedOrigins: this.config.integrations.approvedOrigins,
      blockedDomains: row.organization.blockedDomains,
    });
  }
}

/** What goes with the credential and the server that it was for. */
const FORGOTTEN = {
  selection: null,
  health: null,
  mcp: null,
  requiredScopes: [],
  verifiedFor: null,
  verifiedResources: null,
  inventoryDueAt: null,
  inventoryFailures: 0,
  checkUntil: null,
} as const;

function forgetting({ row }: HeldConnector): readonly Statement[] {
  return [
    removeCredentials(row.organizationId, row.id, CREDENTIAL_PURPOSES),
    removeInventory(row.organizationId, row.id),
  ];
}

function updated(changed: readonly string[], details: Readonly<Record<string, unknown>> = {}) {
  return { verb: 'integration.updated', details: { changed, ...details } } as const;
}

function removed(held: HeldConnector): ConnectorChange {
  const { organizationId, id, key } = held.row;
  return {
    statements: [...forgetting(held), removeGrants(organizationId, id), removeConnector(organizationId, id)],
    removes: true,
    movesEpoch: true,
    entries: [{ verb: 'integration.removed', details: { key } }],
  };
}

/** As it was made, but that counters go on rising. */
function reset(held: HeldConnector): ConnectorChange {
  const { row, entry } = held;
  const { organizationId, id } = row;
  return {
    set: {
      ...FORGOTTEN,
      name: entry?.name ?? row.name,
      description: entry?.description ?? row.description,
      enabled: false,
      accessMode: entry?.fixedReadOnly === true ? 'read_only' : 'ask_before_write',
      reviewRequired: [],
      settings: null,
      context: null,
    },
    statements: [
      ...forgetting(held),
      removeGrants(organizationId, id),
      grantAtFirst(organizationId, id, entry?.defaultDepartments ?? []),
    ],
    moves: ['credential', 'settings', 'tools', 'grants', 'context', 'collection'],
    entries: [{ verb: 'integration.removed', details: { key: row.key } }],
  };
}
