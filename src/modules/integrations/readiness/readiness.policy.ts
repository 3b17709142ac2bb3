import type { Mode, ProfileKind } from '../../../kernel/principals/index.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import {
  type AccessMode,
  type CredentialState,
  generationOf,
  type Health,
  isUsable,
  type Readiness,
  type Selection,
  type ToolAccess,
  UNUSABLE,
} from '../integration.state.ts';
import type { ListedTool } from '../provider-adapters.port.ts';

/** All that decides whether and how a connector may be used. */
export interface ConnectorFacts {
  readonly key: string;
  readonly endpoint: string | null;
  readonly enabled: boolean;
  readonly accessMode: AccessMode;
  readonly selection: Selection | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly verifiedFor: string | null;
  readonly health: Health | null;
  readonly credentialGeneration: number;
  readonly settingsRevision: number;
  /** Of the primary credential; null without one. */
  readonly credentialState: CredentialState | null;
  /** As listed last, or as the entry fixes them. */
  readonly tools: readonly Pick<ListedTool, 'name' | 'access'>[];
}

/** What the organization and the deployment permit. */
export interface Permitted {
  readonly allowedIntegrations: readonly string[];
  /** Whether a URL's host or a parent of it is blocked by the organization. */
  isBlocked(url: string): boolean;
  /** Whether the deployment approves the origin of a URL. */
  isApproved(url: string): boolean;
}

type Entry = Pick<CatalogEntry, 'status' | 'settings' | 'settingsVerified'>;

/** The one place that says whether a connector works: the first reason against it, in their fixed order. */
export function readinessOf(facts: ConnectorFacts, entry: Entry | undefined, permitted: Permitted): Readiness {
  if (!entry || entry.status === 'retired') return 'retired';
  if (isForbidden(facts, permitted)) return 'blocked';
  if (!facts.enabled) return 'disabled';
  if (facts.credentialState !== 'connected') return 'needs_credentials';
  if (entry.settings === 'required' && facts.settings === null) return 'needs_settings';
  if (effectiveTools(facts).length === 0) return 'needs_tools';
  const generation = generationOf(facts);
  if (entry.settingsVerified && facts.settings !== null && facts.verifiedFor !== generation)
    return 'needs_verification';
  return hasFailed(facts.health, generation) ? 'degraded' : 'ready';
}

function isForbidden({ key, endpoint }: ConnectorFacts, permitted: Permitted): boolean {
  const { allowedIntegrations } = permitted;
  if (allowedIntegrations.length > 0 && !allowedIntegrations.includes(key)) return true;
  return endpoint !== null && (permitted.isBlocked(endpoint) || !permitted.isApproved(endpoint));
}

/** Whether something but the collector's part failed in the present generation. */
function hasFailed(health: Health | null, generation: string): boolean {
  if (health?.generation !== generation) return false;
  return health.observations.some(({ scope, status }) => scope !== 'reporting' && status === 'failed');
}

/** The tools that runs may use under the mode: selected, listed, not quarantined. */
export function effectiveTools<Tool extends Pick<ListedTool, 'name' | 'access'>>({
  selection,
  tools,
  accessMode,
}: Pick<ConnectorFacts, 'selection' | 'accessMode'> & { readonly tools: readonly Tool[] }): readonly Tool[] {
  return tools.filter(({ name, access }) => {
    const selected = selection && Object.hasOwn(selection.tools, name) ? selection.tools[name] : undefined;
    return selected !== undefined && !selected.quarantined && isPermitted(access, accessMode);
  });
}

function isPermitted(access: ToolAccess, mode: AccessMode): boolean {
  return access === 'read' || mode !== 'read_only';
}

/** Who wants to use a connector: a profile in an execution. */
export interface User {
  readonly profileKind: ProfileKind;
  readonly profileEnabled: boolean;
  /** Null without a grant. */
  readonly grant: { readonly readOnly: boolean } | null;
  /** The mode of a task run; null of a chat turn. */
  readonly mode: Mode | null;
}

/** Why a profile may not use a connector or one of its tools; the words of answers, in the order in which they are told. */
export const USE_REFUSALS = [
  ...UNUSABLE,
  'not_granted',
  'profile_disabled',
  'tool_unknown',
  'tool_not_selected',
  'tool_missing',
  'tool_quarantined',
  'read_only',
] as const;
export type UseRefusal = (typeof USE_REFUSALS)[number];

/** The first reason against the use; null where there is none. */
export function refusalOf(
  facts: ConnectorFacts,
  readiness: Readiness,
  user: User,
  toolName?: string,
): UseRefusal | null {
  if (!isUsable(readiness)) return readiness;
  if (!user.grant) return 'not_granted';
  if (!user.profileEnabled) return 'profile_disabled';
  return toolName === undefined ? null : toolRefusalOf(facts, user, user.grant, toolName);
}

function toolRefusalOf(
  { selection, tools, accessMode }: ConnectorFacts,
  user: User,
  grant: { readonly readOnly: boolean },
  name: string,
): UseRefusal | null {
  const listed = tools.find((tool) => tool.name === name);
  const selected = selection && Object.hasOwn(selection.tools, name) ? selection.tools[name] : undefined;
  if (!listed && !selected) return 'tool_unknown';
  if (!selected) return 'tool_not_selected';
  if (!listed) return 'tool_missing';
  if (selected.quarantined) return 'tool_quarantined';
  if (listed.access === 'write' && !mayWrite(accessMode, user, grant)) return 'read_only';
  return null;
}

/** Whether a profile may write in its execution; the operator only reads, and so do plans and verifications. */
export function mayWrite(accessMode: AccessMode, user: User, grant: { readonly readOnly: boolean }): boolean {
  const { profileKind, mode } = user;
  return (
    accessMode !== 'read_only' && !grant.readOnly && profileKind !== 'operator' && (mode === null || mode === 'execute')
  );
}

/** Tools with what an owner demands of them: a read that is to be reviewed is a write everywhere. */
export function asReviewed<Tool extends Pick<ListedTool, 'name' | 'access' | 'reviewRequired'>>(
  tools: readonly Tool[],
  reviewRequired: readonly string[],
): readonly Tool[] {
  if (reviewRequired.length === 0) return tools;
  const reviewed = new Set(reviewRequired);
  return tools.map((tool) => (reviewed.has(tool.name) ? { ...tool, access: 'write', reviewRequired: true } : tool));
}
