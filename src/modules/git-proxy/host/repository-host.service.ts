import { Injectable } from '@nestjs/common';
import { type ConnectorUse, ProviderAskingService, type StoredCredential } from '../../integrations/index.ts';
import { RepositoryTokensService } from '../../providers/index.ts';
import { fullNameOf, type RepositoryName } from '../repository-name.ts';
import type { HostAccess } from './git-host.service.ts';

/** A repository with the connector that reaches it, and what the connector's requests are authorized with. */
export interface HostRepository {
  readonly use: ConnectorUse;
  readonly credential: StoredCredential | undefined;
  readonly name: RepositoryName;
}

/** What requests at the host may do to the one repository. */
export type HostRight = 'read' | 'write';

/** Gets what one request at the host is sent with; nobody decides here whether it may be sent. */
@Injectable()
export class RepositoryHostService {
  constructor(
    private readonly asking: ProviderAskingService,
    private readonly tokens: RepositoryTokensService,
  ) {}

  /** Throws `ProviderFailure` where the host gives no token, and 409 where there is no credential that opens. */
  async accessTo(
    { use, credential, name }: HostRepository,
    right: HostRight,
    signal: AbortSignal,
    purpose: 'call' | 'action' = 'call',
  ): Promise<HostAccess> {
    const { id, organizationId, credentialGeneration, organization } = use.row;
    const wanted = { integrationId: id, credentialGeneration, repository: fullNameOf(name), right };
    const token = await this.asking.stored(
      use.standing,
      credential,
      purpose,
      ({ access, net }) => this.tokens.tokenFor(wanted, access.secret, net),
      signal,
    );
    return { organizationId, integrationId: id, blockedDomains: organization.blockedDomains, name, token };
  }
}
