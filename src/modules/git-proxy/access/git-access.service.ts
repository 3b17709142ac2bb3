import { Injectable } from '@nestjs/common';
import type { GatewayPrincipal } from '../../../kernel/auth/index.ts';
import { ApiError, EdgeErrors, EdgeIssues, unauthorized } from '../../../kernel/errors/index.ts';
import { GatewayUsesService, refused, refusedUse } from '../../gateway/index.ts';
import { IntegrationIssues } from '../../integrations/index.ts';
import { GitErrors } from '../git-proxy.errors.ts';
import { CONNECTOR_KIND, GIT_TOOLS, type GitService } from '../git-proxy.policy.ts';
import type { HostRepository } from '../host/index.ts';
import { permittedName, type RepositoryName } from '../repository-name.ts';

/** An execution's way to one repository, as it was permitted when its request came. */
export interface GitAccess extends HostRepository {
  /** `execution` is who asks; its token and the organization's epoch are looked at again where something is stored. */
  readonly gateway: GatewayPrincipal;
}

/** Says in one round trip whether an execution may fetch from, or push to, a repository now. */
@Injectable()
export class GitAccessService {
  constructor(private readonly uses: GatewayUsesService) {}

  /** 401 of a push by a run that does not execute; 401 and 409 where the execution is over; 409 with its word where it may not; 404 of what the connector does not reach. */
  async to(gateway: GatewayPrincipal, service: GitService, given: RepositoryName): Promise<GitAccess> {
    const isPush = service === 'git-receive-pack';
    // One route tells of both services, so no route can refuse this for it.
    if (isPush && gateway.execution.mode !== 'execute')
      throw unauthorized(EdgeErrors.agentUnauthorized, EdgeIssues.wrongKind);
    const toolName = GIT_TOOLS[service];
    const { use, credential } = await this.uses.of(gateway, { toolName });
    // A server of tools may have some of the same names.
    if (use.row.kind !== CONNECTOR_KIND) throw new ApiError(GitErrors.notFound);
    const refusal = use.refusal(toolName);
    if (refusal !== null) throw refusedUse(refusal);
    if (isPush && gateway.access === 'read') throw refused(IntegrationIssues.readOnly);
    const name = permittedName(given, permittedIn(use.row.settings));
    if (!name) throw new ApiError(GitErrors.notFound);
    return { gateway, use, credential, name };
  }
}

function permittedIn(settings: Readonly<Record<string, unknown>> | null): readonly string[] | undefined {
  return settings?.['repositories'] as readonly string[] | undefined;
}
