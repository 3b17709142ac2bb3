import { sql, type Statement } from '../../../kernel/database/index.ts';

/** Profiles that are not deleted, of those with these keys. */
export function profilesByKey(organizationId: string, keys: readonly string[]): Statement<{ id: string; key: string }> {
  return sql`
    select p.id, p.key from agent_profile p
    where p.organization_id = ${organizationId} and p.key = any(${keys}::text[]) and p.deleted_at is null`;
}

/** Grants a locked connector to these profiles and no others; the operator only reads. */
export function replaceGrants(
  organizationId: string,
  connectorId: string,
  profileIds: readonly string[],
  readOnlyIds: readonly string[],
): readonly Statement[] {
  const organization = sql.value(organizationId);
  return [
    removeGrants(organizationId, connectorId),
    sql`
      insert into integration_grant (organization_id, integration_id, agent_profile_id, read_only)
      select p.organization_id, ${connectorId}::uuid, p.id, p.kind = 'operator' or p.id = any(${readOnlyIds}::uuid[])
      from agent_profile p
      where p.organization_id = ${organization} and p.id = any(${profileIds}::uuid[]) and p.deleted_at is null
      returning 1`,
  ];
}

export function removeGrants(organizationId: string, connectorId: string): Statement {
  return sql`
    delete from integration_grant where organization_id = ${organizationId} and integration_id = ${connectorId}`;
}

/** Removes the grants of a profile, and moves the counter of the connectors that had granted it something. */
export function removeGrantsOf(organizationId: string, agentProfileId: string): readonly [Statement, Statement] {
  const [organization, profile] = [sql.value(organizationId), sql.value(agentProfileId)];
  return [
    sql`
      with held as materialized (
        select i.id, i.grants_revision + 1 as revision, clock_timestamp() as now from integration i
        where i.organization_id = ${organization} and exists (
          select from integration_grant g
          where g.organization_id = ${organization} and g.integration_id = i.id and g.agent_profile_id = ${profile})
        order by i.id for no key update of i)
      update integration i set grants_revision = held.revision, updated_at = held.now from held
      where i.organization_id = ${organization} and i.id = held.id`,
    sql`delete from integration_grant where organization_id = ${organization} and agent_profile_id = ${profile}`,
  ];
}
