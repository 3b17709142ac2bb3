import { Injectable } from '@nestjs/common';
import type { Statement, Tx } from '../../../kernel/database/index.ts';
import { newId } from '../../../kernel/ids/index.ts';
import { type Actor, ActivityLogService, lockOrganizationRow } from '../../organizations/index.ts';
import { ProviderAdapters } from '../provider-adapters.port.ts';
import type { CatalogEntry } from './catalog-entry.ts';
import {
  type CatalogConnector,
  grantAtFirst,
  insertConnector,
  insertPreferences,
  lockCatalogConnectors,
  lockCatalogVersion,
  moveToEntry,
  type NewConnector,
  setCatalogVersion,
} from './catalog.queries.ts';
import { movedSelection } from './moved-selection.ts';

const CATALOG: Actor = { kind: 'system', name: 'integration-catalog' };

/** Gives organizations a connector of every entry of the catalog, and moves them to new versions of the entries. */
@Injectable()
export class IntegrationCatalogService {
  constructor(
    private readonly adapters: ProviderAdapters,
    private readonly activity: ActivityLogService,
  ) {}

  /** Rises with every change of the catalog, since versions of entries only rise and no entry ever goes. */
  get version(): number {
    return this.adapters.entries().reduce((sum, { version }) => sum + version, 0);
  }

  /** In the transaction that makes an organization active, behind its profiles. */
  async createIn(tx: Tx): Promise<void> {
    const { organizationId } = tx;
    const entries = this.adapters.entries().filter(({ status }) => status === 'active');
    await tx.batch([
      insertPreferences(organizationId, this.version),
      ...entries.flatMap((entry) => this.made(organizationId, connectorOf(entry), entry.defaultDepartments)),
    ]);
  }

  /** The same for an organization that was made without, unless somebody else does it meanwhile. */
  async createMissingIn(tx: Tx): Promise<void> {
    const { organizationId } = tx;
    const locked = await tx.rows(lockOrganizationRow(organizationId));
    const [preferences] = await tx.rows(lockCatalogVersion(organizationId));
    if (locked.length > 0 && !preferences) await this.createIn(tx);
  }

  /** Brings an organization up to the present catalog; nothing that an owner chose changes. */
  async upgradeIn(tx: Tx): Promise<void> {
    const { organizationId } = tx;
    const [connectors, [preferences]] = await tx.batch([
      lockCatalogConnectors(organizationId),
      lockCatalogVersion(organizationId),
    ]);
    if (!preferences || preferences.catalogVersion >= this.version) return;
    const known = new Set(connectors.map(({ key }) => key));
    const missing = this.adapters.entries().filter(({ key, status }) => status === 'active' && !known.has(key));
    await tx.batch([
      ...missing.flatMap((entry) => this.made(organizationId, connectorOf(entry), entry.defaultDepartments)),
      ...connectors.flatMap((connector) => this.moved(tx, connector)),
      setCatalogVersion(organizationId, this.version),
    ]);
  }

  /** The statements that make a connector with its first grants. */
  private made(organizationId: string, connector: NewConnector, departments: readonly string[]): readonly Statement[] {
    return [insertConnector(organizationId, connector), grantAtFirst(organizationId, connector.id, departments)];
  }

  private moved(tx: Tx, { id, name, kind, entryVersion, ...connector }: CatalogConnector): readonly Statement[] {
    const adapter = this.adapters.of(kind);
    if (!adapter || adapter.entry.version <= entryVersion) return [];
    const { version, purposes } = adapter.entry;
    const tools = adapter.tools?.(connector.settings) ?? [];
    const { selection, quarantined } = movedSelection(connector.selection, entryVersion, adapter.entry, tools);
    const entry = {
      actor: CATALOG,
      verb: 'integration.tools_quarantined',
      subject: { kind: 'integration', id, label: name },
      details: { tools: quarantined.length },
    } as const;
    return [
      moveToEntry(tx.organizationId, id, { entryVersion: version, purposes, selection }),
      ...(quarantined.length > 0 ? this.activity.entry(tx, entry) : []),
    ];
  }
}

function connectorOf({ key, version, name, description, purposes, fixedReadOnly }: CatalogEntry): NewConnector {
  return {
    id: newId(),
    key,
    kind: key,
    entryVersion: version,
    name,
    description,
    endpoint: null,
    purposes,
    accessMode: fixedReadOnly ? 'read_only' : 'ask_before_write',
  };
}
