import type { Risk } from '../organizations/index.ts';

/** How much a connector's runs may do. */
export const ACCESS_MODES = ['read_only', 'ask_before_write', 'autonomous'] as const;
export type AccessMode = (typeof ACCESS_MODES)[number];

/** Whose row it is: one of every entry of the catalog, or an owner's own MCP server. */
export const INTEGRATION_ORIGINS = ['catalog', 'owner'] as const;
export type IntegrationOrigin = (typeof INTEGRATION_ORIGINS)[number];

/** The kind of an owner's own connector. */
export const OWNER_MADE_KIND = 'mcp';
/** How every key of an owner's own connector begins, and no key of the catalog does. */
export const OWNER_MADE_PREFIX = 'mcp-';
/** Words that follow `/integrations/` in routes, or name another module's connector, so no connector is called so. */
export const RESERVED_KEYS = ['preferences', 'resolve', 'webhooks'] as const;

/** Connectors that an organization's owners may make. */
export const MOST_OWN_CONNECTORS = 50;

export const CONNECTION_TYPES = ['direct', 'mcp', 'oauth_suite', 'code_host', 'cloud_account', 'api_key'] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/** Why a connector cannot be used, or that it can; in the order in which they are told. */
export const READINESS = [
  'retired',
  'blocked',
  'disabled',
  'needs_credentials',
  'needs_settings',
  'needs_tools',
  'needs_verification',
  'degraded',
  'ready',
] as const;
export type Readiness = (typeof READINESS)[number];

/** With which a connector works. */
export type UsableReadiness = Extract<Readiness, 'ready' | 'degraded'>;

export function isUsable(readiness: Readiness): readiness is UsableReadiness {
  return readiness === 'ready' || readiness === 'degraded';
}

/** With which it does not. */
export const UNUSABLE = READINESS.filter((each): each is Exclude<Readiness, UsableReadiness> => !isUsable(each));

export const TOOL_ACCESS = ['read', 'write'] as const;
export type ToolAccess = (typeof TOOL_ACCESS)[number];

/** What the gateway's credential is for, and what the collector's. */
export const CREDENTIAL_PURPOSES = ['primary', 'reporting'] as const;
export type CredentialPurpose = (typeof CREDENTIAL_PURPOSES)[number];

export const CREDENTIAL_KINDS = [
  'none',
  'api_key',
  'rest_token',
  'srv',
  'role',
  'app_installation',
  'token',
  'rest_key',
  'oauth2',
  'oauth1',
] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Those that an OAuth callback brings, not a request. */
export const AUTHORIZED_KINDS = ['oauth2', 'oauth1'] as const satisfies readonly CredentialKind[];

/** `unreadable` does not open with the deployment's keys, so nobody is asked with it. */
export const CREDENTIAL_STATES = ['connected', 'reauthorization_required', 'unreadable'] as const;
export type CredentialState = (typeof CREDENTIAL_STATES)[number];

/** The tools that runs may use, by name, each as it was defined when a person chose it. */
export interface Selection {
  /** Whether a person named them one by one; a reconnect then adds none. */
  readonly explicit: boolean;
  readonly tools: Readonly<Record<string, SelectedTool>>;
}

export interface SelectedTool {
  /** SHA-256 of the definition that was chosen. */
  readonly definitionHash: string;
  /** Listed with another definition since; out until a person names it again. */
  readonly quarantined: boolean;
  /** In which parts the definition has changed since, as far as that was seen. */
  readonly changed?: readonly string[];
  /** What it was, while the provider does not list it. */
  readonly gone?: { readonly title: string | null; readonly access: ToolAccess; readonly risk: Risk };
}

export const OBSERVATION_STATUSES = ['verified', 'failed', 'unknown'] as const;
export type ObservationStatus = (typeof OBSERVATION_STATUSES)[number];

export const OBSERVATION_CODES = [
  'not_found',
  'rejected',
  'credential_refused',
  'scope_lost',
  'rate_limited',
  'unavailable',
  'bad_answer',
  'credential_unreadable',
  'reauthorization_required',
  'client_rejected',
  'tools_changed',
  'resource_missing',
] as const;
export type ObservationCode = (typeof OBSERVATION_CODES)[number];

/** What was seen of one part of a connector: `credential`, `tools`, `resource:<id>` or `reporting`. */
export interface Observation {
  readonly scope: string;
  readonly status: ObservationStatus;
  /** ISO 8601 in UTC with six digits, by the database's clock. */
  readonly checkedAt: string;
  readonly code?: ObservationCode;
  /** Failures in a row so far. */
  readonly failures?: number;
}

/** What was seen of one generation of credential and settings; that of another one says nothing. */
export interface Health {
  readonly generation: string;
  readonly observations: readonly Observation[];
}

/** What an MCP server spoke last, which saves asking anew. */
export interface McpMemory {
  readonly era: 'modern' | 'legacy';
  readonly version: string;
}

/** What an owner's organization uses a connector for; it describes and never authorizes. */
export interface OperatingContext {
  readonly departments: readonly string[];
  readonly organizationPurpose: string | null;
  readonly departmentPurposes: Readonly<Record<string, string>>;
  readonly policy: string | null;
  readonly businessFunctions: readonly string[];
  readonly taskPatterns: readonly string[];
  readonly workflowKeys: readonly string[];
  readonly resources: readonly RepositoryResource[];
}

export interface RepositoryResource {
  readonly kind: 'repository';
  readonly externalId: string;
  readonly name: string;
  readonly url: string;
  readonly defaultBranch: string;
  readonly departments: readonly string[];
}

/** Something at the provider that saved settings name, as it was when they were verified. */
export interface VerifiedResource {
  readonly accountId: string;
  readonly resourceId: string;
  readonly name: string;
  readonly environment: string;
  readonly timezone?: string;
  readonly currency?: string;
}

/** The generation of health and of verified settings. */
export function generationOf(counters: {
  readonly credentialGeneration: number;
  readonly settingsRevision: number;
}): string {
  return `${counters.credentialGeneration}.${counters.settingsRevision}`;
}
