import type {
  ConnectorDto,
  CredentialMetadataDto,
  IntegrationDto,
  IntegrationHealthDto,
  IntegrationToolDto,
  ObservationDto,
} from './integration.dto.ts';
import { generationOf, type Health } from './integration.state.ts';
import { toOperatingContext } from './operating-context.dto.ts';
import type { ConnectorRow } from './readiness/connectors.queries.ts';
import type { StandingConnector } from './readiness/readiness.service.ts';

/** What owners and agents see alike. */
export function toConnector({ row, tools, readiness }: StandingConnector): ConnectorDto {
  const required = new Set([...row.reviewRequired, ...namesOf(tools.filter(({ reviewRequired }) => reviewRequired))]);
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    kind: row.kind,
    purposes: [...row.purposes],
    enabled: row.enabled,
    readiness,
    accessMode: row.accessMode,
    reviewRequiredTools: [...required].sort(),
    operatingContext: toOperatingContext(row.context),
    contextRevision: row.contextRevision,
    health: toHealth(row),
    revisions: {
      credential: row.credentialGeneration,
      settings: row.settingsRevision,
      tools: row.toolsRevision,
      grants: row.grantsRevision,
    },
  };
}

/** The projection for owners; whoever may not write it gets only the origin of the endpoint. */
export function toIntegration(connector: StandingConnector, { showsAddress = true } = {}): IntegrationDto {
  const { row, entry } = connector;
  return {
    ...toConnector(connector),
    organizationId: row.organizationId,
    description: row.description,
    connection: { type: entry?.connectionType ?? (row.origin === 'owner' ? 'mcp' : 'direct') },
    endpoint: row.endpoint === null || showsAddress ? row.endpoint : originOf(row.endpoint),
    tools: toolsOf(connector),
    profileGrants: row.grants.map(({ key }) => key),
    readOnlyProfileKeys: row.grants.filter(({ readOnly }) => readOnly).map(({ key }) => key),
    retired: entry === undefined || entry.status === 'retired',
    credentialMetadata: toCredentialMetadata(row),
    hasReportingCredentials: row.hasReportingCredentials,
    settings: row.settings && { kind: row.kind, ...row.settings },
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** An address without what may be a secret in it. */
function originOf(endpoint: string): string {
  const { origin, pathname, search } = new URL(endpoint);
  return pathname === '/' && search === '' ? endpoint : `${origin}/…`;
}

/** Of a tool that was gone before anybody remembered what it was. */
const UNKNOWN = { title: null, access: 'write', risk: 'external' } as const;

/** Listed tools, and behind them what is selected and not listed any more. */
function toolsOf({ row, tools }: StandingConnector): IntegrationToolDto[] {
  const selected = new Map(Object.entries(row.selection?.tools ?? {}));
  const listed = tools.map(({ name, title, access, risk, definitionHash }) => ({
    name,
    title,
    access,
    risk,
    selected: selected.has(name),
    quarantined: selected.get(name)?.quarantined ?? false,
    definitionHash,
  }));
  const names = new Set(namesOf(tools));
  const reviewed = new Set(row.reviewRequired);
  const missing = [...selected].filter(([name]) => !names.has(name));
  return [
    ...listed,
    ...missing.map(([name, { definitionHash, quarantined, gone = UNKNOWN }]) => ({
      name,
      title: gone.title,
      access: reviewed.has(name) ? 'write' : gone.access,
      risk: gone.risk,
      selected: true,
      quarantined,
      definitionHash,
    })),
  ];
}

function namesOf(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.map(({ name }) => name);
}

function toCredentialMetadata({ credential }: ConnectorRow): CredentialMetadataDto | null {
  if (!credential) return null;
  const { kind, connectedAt, label, details } = credential;
  return { kind, connectedAt, details: { ...(label === null ? {} : { account: label }), ...details } };
}

/** Of another generation nothing is said. */
function toHealth(row: ConnectorRow): IntegrationHealthDto {
  const generation = generationOf(row);
  const observations = row.health?.generation === generation ? row.health.observations : [];
  return { kind: 'integration_health', generation, observations: observations.map(toObservation) };
}

function toObservation({ scope, status, checkedAt, code }: Health['observations'][number]): ObservationDto {
  return { scope, status, checkedAt, ...(code === undefined ? {} : { code }) };
}
