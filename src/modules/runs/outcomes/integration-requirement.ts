import type { ConnectorUse } from '../../integrations/index.ts';

/** What a run needs of a connector to go on, as its worker names it. */
export interface Requirement {
  readonly connectorKey?: string;
  readonly purpose?: string;
  readonly need: string;
  readonly toolName?: string;
}

/** As a task's blocker holds it: every field is there, so that no requirement is a part of another. */
export interface HeldRequirement {
  readonly purpose: string | null;
  readonly need: string;
  readonly toolName: string | null;
}

export interface RequirementBlocker {
  readonly kind: 'integration';
  /** Null where any connector of the purpose will do. */
  readonly connectorKey: string | null;
  readonly requirement: HeldRequirement;
}

export function blockerOf({ connectorKey, purpose, need, toolName }: Requirement): RequirementBlocker {
  return {
    kind: 'integration',
    connectorKey: connectorKey ?? null,
    requirement: { purpose: purpose ?? null, need, toolName: toolName ?? null },
  };
}

/** Whether a connector of the key, or any of the purpose, gives a profile what it needs. */
export function isMet({ connectorKey, requirement }: RequirementBlocker, uses: readonly ConnectorUse[]): boolean {
  return uses.some((use) => {
    const { key, purposes } = use.row;
    const isNamed = connectorKey === null ? purposes.includes(requirement.purpose ?? '') : key === connectorKey;
    return isNamed && gives(use, requirement);
  });
}

function gives(use: ConnectorUse, { need, toolName }: HeldRequirement): boolean {
  switch (need) {
    case 'connected':
      return use.standing.isUsable;
    case 'grant':
      return use.row.grant !== null;
    case 'tool':
      return toolName !== null && use.refusal(toolName) === null;
    default:
      return use.tools().some(({ name, access }) => access === 'write' && (toolName === null || name === toolName));
  }
}
