import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  byRef,
  type ConnectorChange,
  ConnectorChangesService,
  type HeldConnector,
  requireUnchanged,
} from '../changes/connector-changes.service.ts';
import { ConnectorSecretsService } from '../credentials/connector-secrets.service.ts';
import { insertCredential, removeCredentials } from '../credentials/credential.queries.ts';
import { credentialedConnector, type CredentialedRow } from '../credentials/credentialed-connector.ts';
import { ProviderAskingService, requireAskable } from '../credentials/provider-asking.service.ts';
import { checked } from '../health/health.policy.ts';
import { conflict, IntegrationIssues, NOT_FOUND } from '../integration.errors.ts';
import { generationOf } from '../integration.state.ts';
import type { VerifiedReporting } from '../provider-adapters.port.ts';
import { ownerAnswerTo } from '../provider-failures.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import type { RestKeyDto } from './settings.dto.ts';

/** The credential that only the collector of reports uses, beside the one of the connection. */
@Injectable()
export class ReportingCredentialsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly asking: ProviderAskingService,
    private readonly secrets: ConnectorSecretsService,
    private readonly changes: ConnectorChangesService,
  ) {}

  async put(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    credential: RestKeyDto | null,
  ): Promise<StandingConnector> {
    const found = await this.reads.listThrough(
      ownerWriteAccess(owner, organizationId, {}),
      credentialedConnector(organizationId, byRef(ref)),
    );
    if (!found) throw new ApiError(NOT_FOUND);
    const { row } = found;
    const connector = this.readiness.of(row);
    if (!connector.entry?.hasReportingCredential) throw conflict(IntegrationIssues.notSupported);
    const verified = credential && (await this.ask(connector, found, credential));
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const changed = await this.changes.change(tx, { id: row.id }, { actor: owner, mayMoveEpoch: false }, (held) => {
        if (!credential || !verified) return removed(held);
        requireUnchanged(held, row);
        if (held.row.collectionGeneration !== row.collectionGeneration)
          throw conflict(IntegrationIssues.changedMeanwhile);
        return this.stored(tx, held, credential, verified);
      });
      return changed!;
    });
  }

  /** Whether it is good, and of the account of the connection. */
  private async ask(
    connector: StandingConnector,
    { row, credential: primary }: CredentialedRow,
    { kind, ...secret }: RestKeyDto,
  ): Promise<VerifiedReporting> {
    requireAskable(connector);
    try {
      return await this.asking.stored(connector, primary, 'ownerCall', async ({ adapter, access, net }) => {
        if (!adapter.verifyReporting) throw conflict(IntegrationIssues.notSupported);
        return adapter.verifyReporting({ kind, ...secret }, row.settings, access, net);
      });
    } catch (error) {
      throw ownerAnswerTo(error, { credential: 'credential.key', other: 'credential.websiteId' });
    }
  }

  private stored(
    tx: Tx,
    { row, now }: HeldConnector,
    { kind, ...secret }: RestKeyDto,
    { account, details }: VerifiedReporting,
  ): ConnectorChange {
    const { organizationId } = tx;
    const generation = row.collectionGeneration + 1;
    const place = { organizationId, integrationId: row.id, purpose: 'reporting', generation } as const;
    return {
      set: { health: checked(row.health, generationOf(row), [{ scope: 'reporting' }], now) },
      statements: [
        removeCredentials(organizationId, row.id, ['reporting']),
        insertCredential(organizationId, row.id, {
          ...place,
          kind,
          identity: account.subject,
          label: account.label,
          details,
          scopes: [],
          issuer: null,
          resource: null,
          expiresInSeconds: null,
          now,
          ...this.secrets.seal(place, secret),
        }),
      ],
      moves: ['collection'],
      entries: [{ verb: 'integration.updated', details: { changed: ['reportingCredential'] } }],
    };
  }
}

function removed({ row }: HeldConnector): ConnectorChange | undefined {
  if (!row.hasReportingCredentials) return undefined;
  return {
    statements: [removeCredentials(row.organizationId, row.id, ['reporting'])],
    moves: ['collection'],
    entries: [{ verb: 'integration.updated', details: { changed: ['reportingCredential'] } }],
  };
}
