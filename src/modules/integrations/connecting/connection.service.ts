import { Injectable } from '@nestjs/common';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  type ConnectorChange,
  ConnectorChangesService,
  type ConnectorEntry,
  type Counter,
  type HeldConnector,
  requireUnchanged,
} from '../changes/connector-changes.service.ts';
import { ConnectorSecretsService } from '../credentials/connector-secrets.service.ts';
import { insertCredential, removeCredentials } from '../credentials/credential.queries.ts';
import { ProviderAskingService, type Question, requireAskable } from '../credentials/provider-asking.service.ts';
import { checked } from '../health/health.policy.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import {
  type AccessMode,
  type CredentialKind,
  generationOf,
  type Health,
  type VerifiedResource,
} from '../integration.state.ts';
import type { ListedTool, ProviderSecret, Verified } from '../provider-adapters.port.ts';
import { isRefusal, ownerAnswerTo } from '../provider-failures.ts';
import { connectors } from '../readiness/connectors.queries.ts';
import { asReviewed } from '../readiness/readiness.policy.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import { isSame } from '../same-value.ts';
import { inventoryDueAt, withServer } from '../tools/inventory.policy.ts';
import { inventoryOf, storeInventory } from '../tools/inventory.queries.ts';
import { applyInventory, choose } from '../tools/tool-selection.policy.ts';

/** What a request or an authorization brings to connect with. */
export interface NewConnection {
  /** The connector's `credential_generation` when the person began; another one by now is 409 `changed_meanwhile`. */
  readonly credentialGeneration: number;
  readonly kind: CredentialKind;
  /** Sealed as it is. */
  readonly secret: object;
  /** How the provider is asked with it now. */
  readonly provider: ProviderSecret;
  /** Whose it is, where the authorization tells; else the provider says it. */
  readonly account?: { readonly subject: string | null; readonly label: string | null };
  readonly scopes?: readonly string[];
  readonly issuer?: string | null;
  readonly resource?: string | null;
  /** How long the access token is good for; null or absent for what does not expire. */
  readonly expiresInSeconds?: number | null;
  /** What the person asked for; the table of modes and tools says what comes of it. */
  readonly accessMode?: AccessMode;
  readonly tools?: readonly string[];
  /** Settings that the connection itself brings, in place of those that stand. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The field of the request that holds what the provider may refuse; absent where there is none. */
  readonly given?: string;
}

type Settings = Readonly<Record<string, unknown>> | null;

/** What the provider said in the second step. */
interface Found {
  readonly verified: Verified;
  readonly identity: string | null;
  readonly label: string | null;
  /** The settings behind it; `resources` where they hold for the credential. */
  readonly settings: Settings;
  readonly resources: readonly VerifiedResource[] | undefined;
}

/**
 * Connects a connector: asks the provider, then stores what it said in one transaction. Requests with a credential and
 * authorizations end here alike.
 */
@Injectable()
export class ConnectionService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
    private readonly secrets: ConnectorSecretsService,
    private readonly changes: ConnectorChangesService,
  ) {}

  /** Steps 2 and 3; the owner is the person who began. */
  async connect(
    owner: OwnerPrincipal,
    organizationId: string,
    integrationId: string,
    connection: NewConnection,
    signal?: AbortSignal,
  ): Promise<StandingConnector> {
    const [row] = await this.reads.through(
      ownerWriteAccess(owner, organizationId, {}),
      connectors(organizationId, { id: integrationId }),
    );
    if (!row) throw new ApiError(NOT_FOUND);
    const before = this.readiness.of(row);
    requireAskable(before);
    if (row.credentialGeneration !== connection.credentialGeneration)
      throw conflict(IntegrationIssues.changedMeanwhile);
    const found = await this.ask(before, connection, signal);
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const connected = await this.changes.change(tx, { id: integrationId }, { actor: owner }, async (held) => {
        requireAskable(held);
        requireUnchanged(held, row);
        return this.connected(tx, held, connection, found);
      });
      return connected!;
    });
  }

  private async ask(before: StandingConnector, connection: NewConnection, signal?: AbortSignal): Promise<Found> {
    try {
      return await this.asking.with(
        before,
        connection.provider,
        'ownerCall',
        (question) => this.found(before, connection, question),
        signal,
      );
    } catch (error) {
      const { given } = connection;
      throw ownerAnswerTo(error, given === undefined ? {} : { credential: given, other: given });
    }
  }

  private async found(
    { row }: StandingConnector,
    connection: NewConnection,
    { adapter, access, net }: Question,
  ): Promise<Found> {
    const verified = await adapter.verify(access, null, net);
    const { subject: identity, label } = connection.account ?? verified.account;
    const isOther = row.credential !== null && row.credential.identity !== identity;
    const settings = connection.settings ?? (isOther ? null : row.settings);
    const found = { verified, identity, label, settings };
    if (settings === null || !adapter.save || !adapter.entry.enabledByCredential)
      return { ...found, resources: undefined };
    // Settings that do not hold for the credential stay, unverified.
    const held = await adapter.save(settings, settings, access, net).catch((error: unknown) => {
      if (isRefusal(error) || error instanceof ApiError) return undefined;
      throw error;
    });
    return { ...found, resources: held?.resources };
  }

  /** What the connection changes of a connector as it is held. */
  private async connected(
    tx: Tx,
    held: HeldConnector,
    connection: NewConnection,
    { verified, identity, label, settings, resources }: Found,
  ): Promise<ConnectorChange> {
    const { row, now } = held;
    const entry = held.entry!;
    const { kind, scopes = [], issuer = null, resource = null, expiresInSeconds = null } = connection;
    const { accessMode, tools, inventory, quarantined } = await this.toolsBehind(
      tx,
      held,
      connection,
      verified,
      settings,
    );
    const areOthers = !isSame(settings, row.settings);
    const areToolsOthers = accessMode !== row.accessMode || !isSame(tools, row.selection);
    const generation = row.credentialGeneration + 1;
    const nowGeneration = generationOf({
      credentialGeneration: generation,
      settingsRevision: row.settingsRevision + (areOthers ? 1 : 0),
    });
    const place = { organizationId: tx.organizationId, integrationId: row.id, purpose: 'primary', generation } as const;
    const moves: readonly Counter[] = [
      'credential',
      ...(areOthers ? (['settings'] as const) : []),
      ...(areToolsOthers ? (['tools'] as const) : []),
    ];
    const entries: readonly ConnectorEntry[] = [
      { verb: 'integration.connected', details: { credential: kind } },
      ...(quarantined.length > 0
        ? [{ verb: 'integration.tools_quarantined', details: { tools: quarantined.length } } as const]
        : []),
    ];
    return {
      set: {
        enabled: entry.enabledByCredential || row.enabled,
        accessMode,
        selection: tools,
        settings,
        verifiedFor: resources ? nowGeneration : null,
        verifiedResources: resources ?? null,
        health: healthBehind(verified, nowGeneration, now),
        requiredScopes: row.requiredScopes.filter((scope) => !scopes.includes(scope)),
        ...(inventory
          ? { mcp: inventory.mcp, inventoryDueAt: inventoryDueAt(now, 0), inventoryFailures: 0 }
          : { inventoryDueAt: null }),
      },
      statements: [
        removeCredentials(tx.organizationId, row.id, ['primary']),
        insertCredential(tx.organizationId, row.id, {
          ...place,
          kind,
          identity,
          label,
          details: verified.details,
          scopes,
          issuer,
          resource,
          expiresInSeconds,
          now,
          ...this.secrets.seal(place, connection.secret),
        }),
        ...(inventory ? [storeInventory(tx.organizationId, row.id, inventory, now)] : []),
      ],
      moves,
      entries,
    };
  }

  private async toolsBehind(
    tx: Tx,
    { row, entry }: HeldConnector,
    { accessMode, tools }: NewConnection,
    { inventory }: Verified,
    settings: Settings,
  ) {
    const [stored] = inventory ? await tx.rows(inventoryOf(tx.organizationId, row.id)) : [];
    const listed: readonly ListedTool[] = inventory?.tools ?? this.asking.fixedTools(row.kind, settings);
    const applied = inventory
      ? applyInventory(row.selection, inventory.tools, stored?.tools ?? [])
      : { selection: row.selection, quarantined: [] };
    const choice = choose(
      { accessMode: row.accessMode, selection: applied.selection },
      { by: 'connection', ...(accessMode ? { accessMode } : {}), ...(tools ? { tools } : {}) },
      asReviewed(listed, row.reviewRequired),
      entry?.fixedReadOnly ?? false,
    );
    const known = inventory && withServer(inventory, stored);
    return {
      accessMode: choice.accessMode,
      tools: choice.selection,
      inventory: known,
      quarantined: applied.quarantined,
    };
  }
}

/** Health as it was just seen; a verification that says nothing of it has seen the credential, and tools where it lists them. */
function healthBehind({ observations, inventory }: Verified, generation: string, now: string): Health {
  if (observations.length > 0)
    return { generation, observations: observations.map((each) => Object.assign({ checkedAt: now }, each)) };
  return checked(null, generation, [{ scope: 'credential' }, ...(inventory ? [{ scope: 'tools' }] : [])], now);
}
