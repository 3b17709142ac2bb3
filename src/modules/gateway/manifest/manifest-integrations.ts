import type { ManifestIntegrationDto } from '../../executions/index.ts';
import { type ConnectorUse, effectiveTools } from '../../integrations/index.ts';
import { needsApproval } from '../tool-calls/offered-tools.service.ts';
import type { ConnectorsOfExecution } from './connector-manifest.queries.ts';

type Facts = Pick<ConnectorsOfExecution, 'department' | 'approvalRequiredForRisk' | 'preferred'>;

/** All connectors of a manifest together, as JSON. */
export const MOST_BYTES = 128 * 1_024;

/** A connector as an execution is told of it; undefined where it neither uses nor discovers it. */
export function toManifestIntegration(use: ConnectorUse, facts: Facts): ManifestIntegrationDto | undefined {
  const { row, readiness, standing } = use;
  const access = accessOf(use);
  if (!standing.isUsable || access === undefined) return undefined;
  const { selection, accessMode, context } = row;
  const tools = access === 'discovery' ? effectiveTools({ selection, accessMode, tools: standing.tools }) : use.tools();
  const { department } = facts;
  const purposeOf = (key: string | null) => (key === null ? null : (context?.departmentPurposes[key] ?? null));
  return {
    key: row.key,
    integrationId: row.id,
    name: row.name,
    kind: row.kind,
    purposes: [...row.purposes],
    ranks: ranksOf(row.key, row.purposes, facts.preferred),
    readiness,
    access,
    accessMode,
    tools: tools.map((tool) => ({
      name: tool.name,
      title: tool.title,
      access: tool.access,
      risk: tool.risk,
      approval: needsApproval(use, tool, facts.approvalRequiredForRisk) ? 'required' : 'none',
    })),
    purpose: { organization: context?.organizationPurpose ?? null, department: purposeOf(department) },
    policy: context?.policy ?? null,
    resources: (context?.resources ?? []).filter(
      ({ departments }) => departments.length === 0 || department === null || departments.includes(department),
    ),
    contextRevision: row.contextRevision,
  };
}

/** Operator and chat know of every connector; all else takes a grant. */
function accessOf({ row, mayWrite }: ConnectorUse): ManifestIntegrationDto['access'] | undefined {
  if (row.grant) return mayWrite ? 'full' : 'read';
  return row.profile?.kind === 'operator' || row.profile?.kind === 'chat' ? 'discovery' : undefined;
}

/** Its place among the connectors of each of its purposes, counted from 1. */
function ranksOf(key: string, purposes: readonly string[], preferred: Facts['preferred']): Record<string, number> {
  const ranked = purposes.flatMap((purpose) => {
    const place = preferred[purpose]?.indexOf(key) ?? -1;
    return place < 0 ? [] : [[purpose, place + 1] as const];
  });
  return Object.fromEntries(ranked);
}

/** Keeps them within their bound: the longest lists of tools are cut first, then those of resources; what is cut is marked. */
export function withinBytes(
  integrations: readonly ManifestIntegrationDto[],
  mostBytes = MOST_BYTES,
): ManifestIntegrationDto[] {
  const cut = [...integrations];
  let excess = sizeOf(cut) - mostBytes;
  for (const list of ['tools', 'resources'] as const)
    while (excess > 0) {
      const place = longest(cut, list);
      const integration = cut[place];
      if (!integration || integration[list].length === 0) break;
      const shorter = { ...integration, [list]: integration[list].slice(0, -1), truncated: true };
      excess -= sizeOf(integration) - sizeOf(shorter);
      cut[place] = shorter;
    }
  return cut;
}

function longest(integrations: readonly ManifestIntegrationDto[], list: 'tools' | 'resources'): number {
  const lengths = integrations.map((each) => each[list].length);
  return lengths.indexOf(Math.max(...lengths));
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
