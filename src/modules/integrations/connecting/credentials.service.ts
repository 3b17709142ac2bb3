import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  byRef,
  type ConnectorChange,
  ConnectorChangesService,
  type HeldConnector,
} from '../changes/connector-changes.service.ts';
import { isGiven, providerSecretOf } from '../credentials/credential-secret.ts';
import { removeCredentials } from '../credentials/credential.queries.ts';
import { requireAskable } from '../credentials/provider-asking.service.ts';
import { NOT_FOUND } from '../integration.errors.ts';
import { ProviderAdapters } from '../provider-adapters.port.ts';
import { connectors } from '../readiness/connectors.queries.ts';
import { ReadinessService, type StandingConnector } from '../readiness/readiness.service.ts';
import { ConnectionService } from './connection.service.ts';
import type { PutCredentialDto } from './credential.dto.ts';
import { givenCredential } from './given-credential.ts';

/** What owners do with the credential of a connector. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly adapters: ProviderAdapters,
    private readonly connections: ConnectionService,
    private readonly changes: ConnectorChangesService,
  ) {}

  async put(
    owner: OwnerPrincipal,
    organizationId: string,
    ref: string,
    body: PutCredentialDto,
  ): Promise<StandingConnector> {
    const access = ownerWriteAccess(owner, organizationId, {});
    const [row] = await this.reads.through(access, connectors(organizationId, byRef(ref)));
    if (!row) throw new ApiError(NOT_FOUND);
    const connector = this.readiness.of(row);
    requireAskable(connector);
    const accepted = connector.entry?.credentialKinds.filter(isGiven) ?? [];
    const { kind, secret: given, refusedField } = givenCredential(row.kind, accepted, body);
    const secret = this.adapters.of(row.kind)?.givenSecret?.(given) ?? given;
    return this.connections.connect(owner, organizationId, row.id, {
      credentialGeneration: row.credentialGeneration,
      kind,
      secret,
      provider: providerSecretOf(row.kind, kind, secret),
      given: refusedField,
    });
  }

  /** Forgets the credential and what was seen with it; the choices of owners stay. Nobody is told or asked. */
  remove(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<StandingConnector> {
    return this.transactions.statementsInOrganization(owner, organizationId, async (tx) => {
      const removed = await this.changes.change(tx, byRef(ref), { actor: owner }, disconnected);
      return removed!;
    });
  }
}

/** What the removal of the credential changes of a connector; undefined where it has none. */
export function disconnected({ row, entry }: HeldConnector): ConnectorChange | undefined {
  if (!row.credential) return undefined;
  // What was chosen from an account that only authorizations open goes with it.
  const isAuthorizedAnew = entry?.enabledByCredential === false;
  return {
    set: {
      health: null,
      mcp: null,
      verifiedFor: null,
      verifiedResources: null,
      inventoryDueAt: null,
      inventoryFailures: 0,
      ...(isAuthorizedAnew ? { selection: null, settings: null } : {}),
    },
    statements: [removeCredentials(row.organizationId, row.id, ['primary'])],
    moves: ['credential', ...(isAuthorizedAnew ? (['settings', 'tools'] as const) : [])],
    entries: [{ verb: 'integration.disconnected' }],
  };
}
