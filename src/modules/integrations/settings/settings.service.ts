import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError, EdgeIssues, invalid } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  byRef,
  type ConnectorChange,
  ConnectorChangesService,
  type Counter,
  type HeldConnector,
  requireUnchanged,
} from '../changes/connector-changes.service.ts';
import { credentialedConnector, type CredentialedRow } from '../credentials/credentialed-connector.ts';
import { ProviderAskingService, requireAskable } from '../credentials/provider-asking.service.ts';
import { checked } from '../health/health.policy.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { generationOf } from '../integration.state.ts';
import type { SavedSettings } from '../provider-adapters.port.ts';
import { ownerAnswerTo } from '../provider-failures.ts';
import type { ConnectorRow } from '../readiness/connectors.queries.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import { isSame } from '../same-value.ts';
import type { PutSettingsDto } from './settings.dto.ts';

type Settings = Readonly<Record<string, unknown>>;

/** What owners do with the settings of a connector. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
    private readonly changes: ConnectorChangesService,
  ) {}

  /** Asks the provider for what the settings name, and stores them; the same settings, once they are verified, move nothing. */
  async put(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    { settings, expectedSettings }: PutSettingsDto,
  ): Promise<StandingConnector> {
    const which = byRef(ref);
    const found = await this.reads.listThrough(
      ownerWriteAccess(owner, organizationId, {}),
      credentialedConnector(organizationId, which),
    );
    if (!found) throw new ApiError(NOT_FOUND);
    const { row } = found;
    const connector = this.readiness.of(row);
    requireAskable(connector);
    if (connector.entry?.settings === 'none') throw conflict(IntegrationIssues.notSupported);
    const next = ofKind(row, settings, 'settings');
    const expected = expectedSettings && ofKind(row, expectedSettings, 'expectedSettings');
    if (isSame(next, row.settings) && isVerified(connector)) return connector;
    const saved = await this.ask(connector, found, next);
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const changed = await this.changes.change(tx, { id: row.id }, { actor: owner }, (held) => {
        requireAskable(held);
        requireUnchanged(held, row);
        return stored(held, saved, expected);
      });
      return changed!;
    });
  }

  private async ask(
    connector: StandingConnector,
    { row, credential }: CredentialedRow,
    next: Settings,
  ): Promise<SavedSettings<Settings>> {
    try {
      return await this.asking.stored(connector, credential, 'ownerCall', async ({ adapter, access, net }) => {
        if (!adapter.save) throw conflict(IntegrationIssues.notSupported);
        return (await adapter.save(next, row.settings, access, net)) as SavedSettings<Settings>;
      });
    } catch (error) {
      throw ownerAnswerTo(error, { other: 'settings' });
    }
  }
}

/** Settings without their kind, which is the connector's. */
function ofKind({ kind }: ConnectorRow, { kind: given, ...settings }: Settings, path: string): Settings {
  if (given === undefined) throw invalid(`${path}.kind`, EdgeIssues.required);
  if (given !== kind) throw invalid(`${path}.kind`, EdgeIssues.notOfKind, `must be "${kind}"`);
  return settings;
}

function isVerified({ row, entry }: StandingConnector): boolean {
  return !entry?.settingsVerified || row.verifiedFor === generationOf(row);
}

/** What the three cases change: nothing but that they are verified, what only reports use, or what runs reach. */
function stored(
  { row, entry, now }: HeldConnector,
  { settings, resources, material, reporting }: SavedSettings<Settings>,
  expected: Settings | undefined,
): ConnectorChange {
  if (reporting && !material && expected === undefined) throw invalid('expectedSettings', EdgeIssues.required);
  if (expected !== undefined && !isSame(expected, row.settings))
    throw conflict(IntegrationIssues.staleSettings, undefined, 'expectedSettings');
  const moves: readonly Counter[] = [
    ...(material ? (['settings'] as const) : []),
    ...(reporting ? (['collection'] as const) : []),
  ];
  const { credentialGeneration } = row;
  const settingsRevision = row.settingsRevision + (material ? 1 : 0);
  const generation = generationOf({ credentialGeneration, settingsRevision });
  const enabled = row.enabled || entry?.enabledByCredential === false;
  return {
    set: {
      settings,
      verifiedFor: generation,
      verifiedResources: resources,
      enabled,
      // The provider has just answered with this credential; of the resources a check says more.
      ...(material ? { health: checked(null, generation, [{ scope: 'credential' }], now) } : {}),
    },
    moves,
    movesEpoch: enabled !== row.enabled,
    entries: [{ verb: 'integration.updated', details: { changed: ['settings'], material, reporting } }],
  };
}
