import { Injectable } from '@nestjs/common';
import type { GatewayPrincipal } from '../../../kernel/auth/index.ts';
import type { ConnectorTool, ConnectorUse, ListedTool } from '../../integrations/index.ts';
import { type GatewayUse, GatewayUsesService } from './gateway-uses.service.ts';
import type { GatewayToolDto, GatewayToolsDto } from './gateway.dto.ts';

/** Lists the tools that an execution may call, from what is stored: nobody is asked. */
@Injectable()
export class OfferedToolsService {
  constructor(private readonly uses: GatewayUsesService) {}

  async list(gateway: GatewayPrincipal, names?: readonly string[]): Promise<GatewayToolsDto> {
    const given = await this.uses.of(gateway, 'all');
    const { key, accessMode, toolsRevision } = given.use.row;
    const tools = given.use
      .tools()
      .filter(({ name }) => names?.includes(name) ?? true)
      .flatMap(({ name }) => given.definitions.get(name) ?? [])
      .filter(({ access }) => access === 'read' || gateway.access === 'write')
      .map((tool) => toTool(given, tool));
    return { key, accessMode, toolsRevision, tools };
  }
}

function toTool(given: GatewayUse, tool: ListedTool): GatewayToolDto {
  const { name, title, description, inputSchema, outputSchema, annotations = {}, access, risk, definitionHash } = tool;
  return {
    name,
    title,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations,
    access,
    risk,
    approval: needsApproval(given.use, tool, given.approvalRequiredForRisk) ? 'required' : 'none',
    definitionHash,
  };
}

/** Whether a person must approve each call, by the connector or by the organization's constraint. */
export function needsApproval(
  use: ConnectorUse,
  tool: ConnectorTool,
  approvalRequiredForRisk: readonly string[],
): boolean {
  if (tool.access === 'read') return false;
  return use.approvalDemands(tool).length > 0 || approvalRequiredForRisk.includes(tool.risk);
}
