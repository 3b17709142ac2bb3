import type { ActionStanding } from '../../actions/index.ts';
import { type ConnectorUse, useWordOf } from '../../integrations/index.ts';

/** How an action stands that calls a tool of a connector. */
export function standingOfTool(use: ConnectorUse, toolName: string): ActionStanding {
  const tool = use.tool(toolName);
  const refusal = use.refusal(toolName);
  const word = refusal === null ? undefined : useWordOf(refusal);
  return {
    risk: tool ? use.risk(tool) : 'high',
    approvalReasons: tool ? use.approvalDemands(tool) : [],
    facts: use.facts(toolName),
    unusable: word?.message ?? null,
    ...(word ? { unusableWord: word } : {}),
  };
}
