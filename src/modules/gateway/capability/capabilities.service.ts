import { Injectable } from '@nestjs/common';
import { Capabilities, type ExecutionPrincipal, LiveExecutions } from '../../../kernel/auth/index.ts';
import { Reads } from '../../../kernel/database/index.ts';
import { ApiError } from '../../../kernel/errors/index.ts';
import { ConnectorAuthority, IntegrationIssues } from '../../integrations/index.ts';
import { GatewayErrors } from '../gateway.errors.ts';
import { refused, refusedUse } from '../use-refusals.ts';
import type { CapabilityDto } from './capability.dto.ts';
import { capabilityExpiry } from './capability.queries.ts';

/** Gives executions tokens for connectors that they may use. Every call decides again, so that nothing is ever revoked. */
@Injectable()
export class CapabilitiesService {
  constructor(
    private readonly reads: Reads,
    private readonly executions: LiveExecutions,
    private readonly authority: ConnectorAuthority,
    private readonly capabilities: Capabilities,
  ) {}

  async issue(execution: ExecutionPrincipal, key: string, authorizationEpoch: number): Promise<CapabilityDto> {
    const { organizationId, agentProfileId, mode } = execution;
    const access = this.executions.access(execution, { enabledProfile: true, lane: 'ordinary' });
    const [[row], [expiry]] = await this.reads.listThrough(access, {
      statements: () => [this.authority.uses(organizationId, { key }, agentProfileId), capabilityExpiry()] as const,
      result: (sets) => sets,
    });
    if (!row) throw new ApiError(GatewayErrors.connectorNotFound);
    const use = this.authority.useOf(row, mode);
    if (use.authorizationEpoch !== authorizationEpoch)
      throw refused(IntegrationIssues.staleEpoch, 'authorizationEpoch');
    const refusal = use.refusal();
    if (refusal !== null) throw refusedUse(refusal);
    const tools = use.tools().map(({ name }) => name);
    if (tools.length === 0) throw refusedUse('read_only');
    const { expiresAt } = expiry!;
    const { kind: _kind, scope: _scope, ...claims } = execution;
    const integrationGatewayCapability = this.capabilities.issueGateway({
      execution: { ...claims, expiresAt },
      integrationId: row.id,
      authorizationEpoch,
      access: use.mayWrite ? 'write' : 'read',
    });
    return { integrationGatewayCapability, integrationId: row.id, expiresAt, tools };
  }
}
