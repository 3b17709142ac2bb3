import { sql, type Statement } from '../../../kernel/database/index.ts';
import type { AccessMode, Selection } from '../integration.state.ts';

export interface NewConnector {
  readonly id: string;
  readonly key: string;
  readonly kind: string;
  /** Null for an owner's own. */
  readonly entryVersion: number | null;
  readonly name: string;
  readonly description: string;
  readonly endpoint: string | null;
  readonly purposes: readonly string[];
  readonly accessMode: AccessMode;
}

/** Makes a connector, disabled and unconnected; answers a row unless the organization has the key already. */
export function insertConnector(organizationId: string, connector: NewConnector): Statement<{ id: string }> {
  const { id, key, kind, entryVersion, name, description, endpoint, purposes, accessMode } = connector;
  const origin = entryVersion === null ? 'owner' : 'catalog';
  return sql`
    insert into integration (organization_id, id, key, kind, origin, entry_version, name, description, endpoint, purposes,
      access_mode, review_required, required_scopes)
    values (${organizationId}, ${id}, ${key}, ${kind}, ${origin}, ${entryVersion}, ${name}, ${description}, ${endpoint},
      ${purposes}::text[], ${accessMode}, '{}', '{}')
    on conflict (organization_id, key) do nothing
    returning id`;
}

/**
 * Grants a connector to operator and chat, and to the built-in profiles of some departments. The operator only reads. Answers
 * a row for each.
 */
export function grantAtFirst(organizationId: string, connectorId: string, departments: readonly string[]): Statement {
  const organization = sql.value(organizationId);
  return sql`
    insert into integration_grant (organization_id, integration_id, agent_profile_id, read_only)
    select p.organization_id, ${connectorId}::uuid, p.id, p.kind = 'operator' from agent_profile p
    where p.organization_id = ${organization} and p.deleted_at is null
      and (p.kind in ('operator', 'chat') or (p.department = any(${departments}::text[]) and p.key = p.department))
    on conflict (organization_id, integration_id, agent_profile_id) do nothing
    returning 1`;
}

/** Gives an organization its preferences, without any order yet. */
export function insertPreferences(organizationId: string, catalogVersion: number): Statement {
  return sql`
    insert into integration_preferences (organization_id, "order", catalog_version)
    values (${organizationId}, '{}', ${catalogVersion}) on conflict (organization_id) do nothing`;
}

/** Active organizations whose connectors are those of an older catalog. */
export function organizationsBehind(
  catalogVersion: number,
  limit: number,
): Statement<{ organizationId: string; catalogVersion: number }> {
  return sql`
    select p.organization_id as "organizationId", p.catalog_version as "catalogVersion"
    from integration_preferences p join organization o on o.id = p.organization_id
    where p.catalog_version < ${catalogVersion} and o.status = 'active'
    order by p.catalog_version, p.organization_id limit ${limit}`;
}

/** Active organizations, in the order of their ids, that a release made which knew no connectors. */
export function organizationsWithoutConnectors(limit: number): Statement<{ organizationId: string }> {
  return sql`
    select o.id as "organizationId" from organization o
    where o.status = 'active'
      and not exists (select from integration_preferences p where p.organization_id = o.id)
    order by o.id limit ${limit}`;
}

/** A connector of the catalog, as far as a new version of its entry touches it. */
export interface CatalogConnector {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly entryVersion: number;
  readonly selection: Selection | null;
  readonly settings: Readonly<Record<string, unknown>> | null;
}

/** Locks the organization's connectors of the catalog, in the order of their ids. */
export function lockCatalogConnectors(organizationId: string): Statement<CatalogConnector> {
  return sql`
    select i.id, i.key, i.name, i.kind, i.entry_version as "entryVersion", i.selection, i.settings from integration i
    where i.organization_id = ${organizationId} and i.origin = 'catalog' order by i.id for no key update`;
}

/** Locks the preferences, whose version of the catalog only rises. */
export function lockCatalogVersion(organizationId: string): Statement<{ catalogVersion: number }> {
  return sql`
    select p.catalog_version as "catalogVersion" from integration_preferences p
    where p.organization_id = ${organizationId} for no key update`;
}

export function setCatalogVersion(organizationId: string, catalogVersion: number): Statement {
  return sql`
    update integration_preferences set catalog_version = ${catalogVersion} where organization_id = ${organizationId}`;
}

/** Moves a locked connector to a version of its entry. */
export function moveToEntry(
  organizationId: string,
  id: string,
  moved: { readonly entryVersion: number; readonly purposes: readonly string[]; readonly selection: Selection | null },
): Statement {
  const { entryVersion, purposes, selection } = moved;
  return sql`
    update integration set entry_version = ${entryVersion}, purposes = ${purposes}::text[],
      selection = ${selection && JSON.stringify(selection)}::jsonb
    where organization_id = ${organizationId} and id = ${id}`;
}
