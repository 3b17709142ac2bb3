import { Injectable } from '@nestjs/common';
import type { OwnerPrincipal } from '../../../kernel/auth/index.ts';
import { Reads, Transactions, type Tx } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ownerWriteAccess } from '../../../kernel/tenancy/index.ts';
import {
  byRef,
  conflict,
  ConnectorChangesService,
  connectors,
  ConnectorSecretsService,
  credentialOf,
  disconnected,
  IntegrationIssues,
  NOT_FOUND,
  ReadinessService,
} from '../../integrations/index.ts';
import { lockOrganizationRow } from '../../organizations/index.ts';
import type { OAuth2Secret } from '../authorization-server.ts';
import { ClientSecretsService } from '../client-secrets.service.ts';
import type { RevokedGrantDto } from '../oauth.dto.ts';
import { OauthNetsService } from '../oauth-nets.service.ts';
import { revokeToken } from '../oauth2/token-endpoint.ts';
import { unavailable } from '../unavailable.ts';
import { connectionsOfAccount, type GrantedConnection, lockConnectors } from './workspace-grants.queries.ts';
import { WorkspaceServerService } from './workspace-server.service.ts';

/** What one account granted the deployment is one grant, whichever connector asked for it: it is revoked as a whole. */
@Injectable()
export class WorkspaceGrantsService {
  constructor(
    private readonly reads: Reads,
    private readonly transactions: Transactions,
    private readonly readiness: ReadinessService,
    private readonly secrets: ConnectorSecretsService,
    private readonly clients: ClientSecretsService,
    private readonly nets: OauthNetsService,
    private readonly server: WorkspaceServerService,
    private readonly changes: ConnectorChangesService,
  ) {}

  /** Revokes the grant once, and disconnects the connectors with it that nobody has connected anew meanwhile. */
  async revoke(owner: OwnerPrincipal, organizationId: string, ref: string): Promise<RevokedGrantDto> {
    const access = ownerWriteAccess(owner, organizationId, {});
    const [row] = await this.reads.through(access, connectors(organizationId, byRef(ref)));
    if (!row) throw new ApiError(NOT_FOUND);
    if (this.readiness.of(row).entry?.authorization !== 'workspace') throw conflict(IntegrationIssues.notSupported);
    const [credential] = await this.reads.inOrganization(owner, organizationId, credentialOf(organizationId, row.id));
    const { issuer, identity } = credential ?? {};
    if (!credential || !issuer || !identity) throw conflict(IntegrationIssues.needsCredentials);
    const secret = await this.secrets.open<OAuth2Secret>(credential);
    const all = await this.reads.inOrganization(
      owner,
      organizationId,
      connectionsOfAccount(organizationId, issuer, identity),
    );
    const connections = await this.ofClient(all, secret.server.client.clientId);
    const { blockedDomains } = row.organization;
    await this.revokeAt({ organizationId, integrationId: row.id, blockedDomains }, secret);
    const outcome = await this.transactions.statementsInOrganization(owner, organizationId, (tx) =>
      this.disconnectAll(tx, owner, connections),
    );
    const count = outcome.disconnected.length;
    return {
      revoked: true,
      ...outcome,
      message: `The grant is revoked, and ${count} ${count === 1 ? 'connector is' : 'connectors are'} disconnected. Other connections with it have to be authorized anew.`,
    };
  }

  private async ofClient(all: readonly GrantedConnection[], clientId: string): Promise<readonly GrantedConnection[]> {
    const same: GrantedConnection[] = [];
    for (const connection of all) {
      const { server } = await this.secrets.open<OAuth2Secret>(connection);
      if (server.client.clientId === clientId) same.push(connection);
    }
    return same;
  }

  /** 503 unless the grant is gone: then nothing moves. */
  private async revokeAt(
    asker: Parameters<OauthNetsService['to']>[0],
    { server, clientSecret: own, refreshToken, accessToken }: OAuth2Secret,
  ): Promise<void> {
    const clientSecret = this.clients.of(server, own);
    const address = server.revocationEndpoint;
    if (clientSecret === undefined || address === null) throw conflict(IntegrationIssues.notConfigured);
    const get = this.nets.to(asker, (asked) => this.server.has(asked));
    const caller = { server, clientSecret, resource: null, get };
    const hint = refreshToken === null ? 'access_token' : 'refresh_token';
    const isRevoked = await revokeToken(caller, address, refreshToken ?? accessToken, hint);
    if (!isRevoked) throw unavailable();
  }

  private async disconnectAll(
    tx: Tx,
    owner: OwnerPrincipal,
    connections: readonly GrantedConnection[],
  ): Promise<Pick<RevokedGrantDto, 'disconnected' | 'changed'>> {
    const ids = connections.map(({ integrationId }) => integrationId);
    await tx.batch([lockOrganizationRow(tx.organizationId), lockConnectors(tx.organizationId, ids)]);
    const [gone, changed]: [string[], string[]] = [[], []];
    for (const { integrationId: id, generation, key } of connections) {
      const isFirst = gone.length === 0;
      let isSame = false;
      await this.changes.change(tx, { id }, { actor: owner, isEpochMoved: !isFirst }, (held) => {
        isSame = held.row.credentialGeneration === generation;
        return isSame ? disconnected(held) : undefined;
      });
      (isSame ? gone : changed).push(key);
    }
    return { disconnected: gone, changed };
  }
}
