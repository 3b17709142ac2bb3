import { columns, type Sql, sql, type Statement } from '../../../kernel/database/index.ts';
import type { ProfileKind } from '../../../kernel/principals/index.ts';
import type {
  AccessMode,
  CredentialKind,
  CredentialState,
  Health,
  IntegrationOrigin,
  McpMemory,
  OperatingContext,
  Selection,
  VerifiedResource,
} from '../integration.state.ts';
import type { ListedTool } from '../provider-adapters.port.ts';

/** What connectors are chosen by: one by its id or key, all of an organization, or those of them that have a credential. */
export type Which = { readonly id: string } | { readonly key: string } | 'all' | 'connected';

/** A tool without its texts and schemas. */
export type ConnectorTool = Pick<
  ListedTool,
  'name' | 'title' | 'access' | 'risk' | 'reviewRequired' | 'definitionHash'
>;

/** A connector's own row. */
export interface IntegrationRow {
  readonly id: string;
  readonly organizationId: string;
  readonly key: string;
  readonly kind: string;
  readonly origin: IntegrationOrigin;
  readonly entryVersion: number | null;
  readonly name: string;
  readonly description: string;
  readonly endpoint: string | null;
  readonly purposes: readonly string[];
  readonly enabled: boolean;
  readonly accessMode: AccessMode;
  readonly selection: Selection | null;
  readonly reviewRequired: readonly string[];
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly context: OperatingContext | null;
  readonly health: Health | null;
  readonly mcp: McpMemory | null;
  readonly requiredScopes: readonly string[];
  readonly verifiedFor: string | null;
  readonly verifiedResources: readonly VerifiedResource[] | null;
  readonly inventoryDueAt: string | null;
  readonly inventoryFailures: number;
  readonly checkUntil: string | null;
  readonly contextRevision: number;
  readonly credentialGeneration: number;
  readonly settingsRevision: number;
  readonly toolsRevision: number;
  readonly grantsRevision: number;
  readonly collectionGeneration: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Of a credential what is no secret. */
export interface CredentialSummary {
  readonly kind: CredentialKind;
  readonly state: CredentialState;
  readonly identity: string | null;
  readonly label: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly connectedAt: string;
}

/** A profile that may use a connector. */
export interface GrantedProfile {
  readonly id: string;
  readonly key: string;
  readonly readOnly: boolean;
}

/** A connector with all that decides how it stands, and what the organization permits. */
export interface ConnectorRow extends IntegrationRow {
  /** The primary one. */
  readonly credential: CredentialSummary | null;
  readonly hasReportingCredentials: boolean;
  /** As listed last, without what an owner demands of them; null where the provider never listed any. */
  readonly listed: readonly ConnectorTool[] | null;
  /** By key; profiles that were removed have none. */
  readonly grants: readonly GrantedProfile[];
  readonly organization: {
    readonly allowedIntegrations: readonly string[];
    readonly blockedDomains: readonly string[];
    readonly authorizationEpoch: number;
  };
}

/** How a connector stands to one profile. */
export interface ConnectorUseRow extends ConnectorRow {
  /** Null where there is no such profile, or no more. */
  readonly profile: {
    readonly id: string;
    readonly key: string;
    readonly kind: ProfileKind;
    readonly department: string | null;
    readonly enabled: boolean;
  } | null;
  readonly grant: { readonly readOnly: boolean } | null;
  /** Definitions of listed tools, as many as were asked for; null for fixed ones and where nothing was listed. */
  readonly definitions: readonly ListedTool[] | null;
}

const OWN = {
  id: 'i.id',
  organizationId: 'i.organization_id',
  key: 'i.key',
  kind: 'i.kind',
  origin: 'i.origin',
  entryVersion: 'i.entry_version',
  name: 'i.name',
  description: 'i.description',
  endpoint: 'i.endpoint',
  purposes: 'i.purposes',
  enabled: 'i.enabled',
  accessMode: 'i.access_mode',
  selection: 'i.selection',
  reviewRequired: 'i.review_required',
  settings: 'i.settings',
  context: 'i.context',
  health: 'i.health',
  mcp: 'i.mcp',
  requiredScopes: 'i.required_scopes',
  verifiedFor: 'i.verified_for',
  verifiedResources: 'i.verified_resources',
  inventoryDueAt: 'i.inventory_due_at',
  inventoryFailures: 'i.inventory_failures',
  checkUntil: 'i.check_until',
  contextRevision: 'i.context_revision',
  credentialGeneration: 'i.credential_generation',
  settingsRevision: 'i.settings_revision',
  toolsRevision: 'i.tools_revision',
  grantsRevision: 'i.grants_revision',
  collectionGeneration: 'i.collection_generation',
  createdAt: 'i.created_at',
  updatedAt: 'i.updated_at',
} as const satisfies { readonly [Property in keyof IntegrationRow]: string };

/** The columns of a connector aliased `i`; what stands in other tables is found by their keys. */
export function connectorColumns(organizationId: string): { readonly [Property in keyof ConnectorRow]: string | Sql } {
  const organization = sql.value(organizationId);
  return {
    ...OWN,
    credential: sql`(
      select jsonb_build_object('kind', c.kind, 'state', c.state, 'identity', c.identity, 'label', c.label,
        'details', c.details,
        'connectedAt', to_char(c.connected_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
      from integration_credential c
      where c.organization_id = ${organization} and c.integration_id = i.id and c.purpose = 'primary')`,
    hasReportingCredentials: sql`exists (
      select from integration_credential c
      where c.organization_id = ${organization} and c.integration_id = i.id and c.purpose = 'reporting')`,
    listed: sql`(
      select (select coalesce(jsonb_agg(
          t.tool - '{description,inputSchema,outputSchema,annotations}'::text[] order by t.nth), '[]')
        from jsonb_array_elements(v.tools) with ordinality t(tool, nth))
      from integration_inventory v where v.organization_id = ${organization} and v.integration_id = i.id)`,
    grants: sql`(
      select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'key', p.key, 'readOnly', g.read_only) order by p.key),
        '[]')
      from integration_grant g
      join agent_profile p on p.organization_id = ${organization} and p.id = g.agent_profile_id
      where g.organization_id = ${organization} and g.integration_id = i.id and p.deleted_at is null)`,
    organization: sql`(
      select jsonb_build_object('allowedIntegrations', o.allowed_integrations, 'blockedDomains', o.blocked_domains,
        'authorizationEpoch', o.authorization_epoch)
      from organization o where o.id = ${organization})`,
  };
}

/** The condition that chooses connectors aliased `i`. */
export function isChosen(organizationId: string, which: Which): Sql {
  const organization = sql.value(organizationId);
  const own = sql`i.organization_id = ${organization}`;
  if (which === 'all') return own;
  if (which === 'connected')
    return sql`${own} and exists (
      select from integration_credential c
      where c.organization_id = ${organization} and c.integration_id = i.id and c.purpose = 'primary')`;
  return 'id' in which ? sql`${own} and i.id = ${which.id}` : sql`${own} and i.key = ${which.key}`;
}

/** Connectors with all that decides how they stand, in the order of their keys. */
export function connectors(organizationId: string, which: Which): Statement<ConnectorRow> {
  return sql`
    select ${columns<ConnectorRow>(connectorColumns(organizationId))} from integration i
    where ${isChosen(organizationId, which)} order by i.key`;
}

export interface UseOptions {
  /** The tools whose whole definitions are wanted; none unless said. */
  readonly definitions?: 'all' | { readonly toolName: string };
  /** Holds the connectors FOR SHARE until the commit, so that a change is seen here or waits. */
  readonly lock?: boolean;
}

/**
 * How connectors stand to a profile, in the order of their keys. With `lock` what the row itself says (switch, mode,
 * selection, counters) is that of behind the wait; a change of anything else moves one of its counters.
 */
export function connectorUses(
  organizationId: string,
  which: Which,
  agentProfileId: string,
  { definitions, lock = false }: UseOptions = {},
): Sql<ConnectorUseRow> {
  const organization = sql.value(organizationId);
  const profile = sql.value(agentProfileId);
  const select = columns<ConnectorUseRow>({
    ...connectorColumns(organizationId),
    profile: sql`(
      select jsonb_build_object('id', p.id, 'key', p.key, 'kind', p.kind, 'department', p.department,
        'enabled', p.status = 'enabled')
      from agent_profile p
      where p.organization_id = ${organization} and p.id = ${profile} and p.deleted_at is null)`,
    grant: sql`(
      select jsonb_build_object('readOnly', g.read_only) from integration_grant g
      where g.organization_id = ${organization} and g.integration_id = i.id and g.agent_profile_id = ${profile})`,
    definitions: definitionsOf(organization, definitions),
  });
  if (!lock) return sql`select ${select} from integration i where ${isChosen(organizationId, which)} order by i.key`;
  return sql`
    with held as materialized (
      select i.* from integration i where ${isChosen(organizationId, which)} order by i.id for share)
    select ${select} from held i order by i.key`;
}

function definitionsOf(organization: Sql, definitions: UseOptions['definitions']): Sql {
  if (definitions === undefined) return sql`null::jsonb`;
  const inventory = sql`
    from integration_inventory v where v.organization_id = ${organization} and v.integration_id = i.id`;
  if (definitions === 'all') return sql`(select v.tools ${inventory})`;
  return sql`(
    select (select coalesce(jsonb_agg(t.tool), '[]') from jsonb_array_elements(v.tools) t(tool)
      where t.tool->>'name' = ${definitions.toolName})
    ${inventory})`;
}
