import { Injectable } from '@nestjs/common';
import type { ExecutionPrincipal } from '../../../kernel/auth/index.ts';
import type { Statement } from '../../../kernel/database/index.ts';
import { type ManifestExtras, type ManifestPart, ManifestParts } from '../../executions/index.ts';
import { ConnectorAuthority } from '../../integrations/index.ts';
import { type ConnectorsOfExecution, connectorsOfExecution } from './connector-manifest.queries.ts';
import { toManifestIntegration, withinBytes } from './manifest-integrations.ts';

/** Tells an execution which connectors it may use, and with which tools. */
@Injectable()
export class ConnectorManifest implements ManifestPart {
  constructor(
    manifest: ManifestParts,
    private readonly authority: ConnectorAuthority,
  ) {
    manifest.register(this);
  }

  statement(execution: ExecutionPrincipal): Statement {
    const { organizationId, agentProfileId } = execution;
    return connectorsOfExecution(execution, this.authority.uses(organizationId, 'all', agentProfileId));
  }

  extras([row]: readonly unknown[]): ManifestExtras {
    const { uses, mode, ...facts } = row as ConnectorsOfExecution;
    const integrations = uses.flatMap((each) => toManifestIntegration(this.authority.useOf(each, mode), facts) ?? []);
    return { integrations: withinBytes(integrations) };
  }
}
